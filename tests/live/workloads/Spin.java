/* Works for as many seconds as the argument says: work() calls five methods, of which fib() calls itself. */
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

public class Spin {
	static long fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static long sort(int n) {
		Random random = new Random(n);
		List<Integer> list = new ArrayList<>();

		for (int i = 0; i < 20000; i++)
			list.add(random.nextInt());
		Collections.sort(list);
		return list.get(0);
	}

	static long text(int n) {
		StringBuilder text = new StringBuilder();

		for (int i = 0; i < 5000; i++)
			text.append(i).append(',');
		return text.toString().split(",").length;
	}

	static long map(int n) {
		Map<String, Integer> map = new HashMap<>();

		for (int i = 0; i < 5000; i++)
			map.merge("k" + i % 97, 1, Integer::sum);
		return map.size();
	}

	static long caught(int n) {
		long k = 0;

		for (int i = 0; i < 2000; i++)
			try {
				if (i % 3 == 0)
					throw new IllegalStateException();
				k++;
			} catch (IllegalStateException e) {
				k--;
			}
		return k;
	}

	static long work(int i) {
		return fib(22) + sort(i) + text(i) + map(i) + caught(i);
	}

	public static void main(String[] args) {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000000L, sum = 0;

		for (int i = 0; System.nanoTime() < end; i++)
			sum += work(i);
		System.exit(sum == 1 ? 1 : 0);
	}
}
