/* Makes classes, each by a class loader of its own, and drops them, so that the memory of some is used again: 600 classes in
 * rounds of 20, each of whose method nap() calls lseek() once. Their names go to the file given as the argument. */
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.util.Arrays;

public class Factory {
	public static final RandomAccessFile file = open();

	static RandomAccessFile open() {
		try {
			return new RandomAccessFile("/dev/zero", "r");
		} catch (Exception e) {
			throw new RuntimeException(e);
		}
	}

	public static class T0000 implements Runnable {
		public void run() {
			try {
				file.seek(1);
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		}
	}

	static class Loader extends ClassLoader {
		Class<?> make(byte[] bytes) {
			return defineClass(null, bytes, 0, bytes.length);
		}
	}

	public static void main(String[] args) throws Exception {
		byte[] bytes;

		try (InputStream in = Factory.class.getResourceAsStream("Factory$T0000.class")) {
			bytes = in.readAllBytes();
		}
		try (PrintWriter out = new PrintWriter(args[0])) {
			for (int i = 1; i <= 600; i++) {
				byte[] copy = Arrays.copyOf(bytes, bytes.length), name = String.format("T%04d", i).getBytes();

				for (int at = 0; at + 5 <= copy.length; at++)
					if (new String(copy, at, 5, "ISO-8859-1").equals("T0000"))
						System.arraycopy(name, 0, copy, at, 5);
				((Runnable)new Loader().make(copy).getDeclaredConstructor().newInstance()).run();
				out.println(String.format("Factory$T%04d.run", i));
				if (i % 20 == 0)
					System.gc();
			}
		}
	}
}
