// Inner MS: for that time outer() calls inner(), which does all the work.
public class Inner {
	static double inner(int n) {
		double sum = 0;
		for (int i = 0; i < n; i++)
			sum += Math.sqrt(i) % 7;
		return sum;
	}

	static double outer(int n) {
		double sum = 0;
		for (int i = 0; i < 50; i++)
			sum += inner(n);
		return sum;
	}

	public static void main(String[] args) {
		long end = System.currentTimeMillis() + Long.parseLong(args[0]);
		double sum = 0;
		while (System.currentTimeMillis() < end)
			sum += outer(10000);
		System.err.println(sum > 0);
	}
}
