/* Notes its own stacks: before each call of lseek(), which nothing else here calls, and counts them. Writes a line for each stack:
 * how often, and the methods from the innermost one outwards. Arguments: the file for that, and how often all of it runs. */
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

public class Noted {
	static final Map<String, Integer> stacks = new HashMap<>();
	static RandomAccessFile file;

	static void nap() throws Exception {
		StringBuilder text = new StringBuilder();

		for (StackTraceElement e : Thread.currentThread().getStackTrace())
			if (!e.getMethodName().equals("getStackTrace"))
				text.append(" ").append(e.getClassName()).append(".").append(e.getMethodName());
		synchronized (stacks) {
			stacks.merge(text.toString(), 1, Integer::sum);
			file.seek(stacks.size() & 7);
		}
	}

	interface Shop {
		int sell(int n) throws Exception;
	}

	static abstract class Base implements Shop {
		Base() throws Exception {
			made();
		}

		abstract void made() throws Exception;

		public int sell(int n) throws Exception {
			return n > 0 ? sell(n - 1) + 1 : buy();
		}

		int buy() throws Exception {
			nap();
			return 1;
		}
	}

	static class Baker extends Base {
		Baker() throws Exception {
		}

		void made() throws Exception {
			nap();
		}

		@Override
		int buy() throws Exception {
			try {
				throw new IllegalStateException();
			} catch (IllegalStateException e) {
				return super.buy();
			} finally {
				nap();
			}
		}
	}

	static synchronized long locked(long a, double b, Object c, int... more) throws Exception {
		nap();
		return a + (long)b + more.length;
	}

	static class Size {
		static void mißt() throws Exception {
			nap();
		}
	}

	static <T> T quietly(Callable<T> call) {
		try {
			return call.call();
		} catch (Exception e) {
			throw new RuntimeException(e);
		}
	}

	static int deep(int n) throws Exception {
		return n == 0 ? new Baker().sell(1) : deep(n - 1) + 1;
	}

	static void round() throws Exception {
		new Baker().sell(3);
		locked(1, 2.0, "three", 4, 5);
		deep(40);
		Size.mißt();
		quietly(() -> {
			nap();
			return 0;
		});
		List.of(3, 1, 2).stream().map(n -> quietly(() -> locked(n, n, n))).collect(Collectors.toList());
		new java.util.ArrayList<>(List.of(1, 2)).sort((a, b) -> quietly(() -> {
			nap();
			return a - b;
		}));
	}

	public static void main(String[] args) throws Exception {
		int rounds = Integer.parseInt(args[1]);
		Thread[] threads = new Thread[2];

		Thread.sleep(1000); /* unwind tables of libjvm are being made */
		file = new RandomAccessFile("/dev/zero", "r");
		for (int t = 0; t < threads.length; t++) {
			threads[t] = new Thread(() -> {
				for (int i = 0; i < rounds; i++)
					quietly(() -> {
						round();
						return 0;
					});
			});
			threads[t].start();
		}
		for (Thread t : threads)
			t.join();
		for (int i = 0; i < rounds; i++)
			round();
		try (PrintWriter out = new PrintWriter(args[0], "UTF-8")) {
			stacks.forEach((stack, n) -> out.println(n + stack));
		}
	}
}
