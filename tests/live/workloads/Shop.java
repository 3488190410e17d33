/* Sleeps in methods: 20 times 10 ms in fetch() and 5 ms in store(), both called by handle(). Prints how long, in ms, it was in each.
 * The arguments are another number of times and another time for fetch(), in ms. */
public class Shop {
	static long fetched, stored, pause = 10;

	static void fetch() throws Exception {
		long start = System.nanoTime();

		Thread.sleep(pause);
		fetched += System.nanoTime() - start;
	}

	static void store() throws Exception {
		long start = System.nanoTime();

		Thread.sleep(5);
		stored += System.nanoTime() - start;
	}

	static void handle() throws Exception {
		fetch();
		store();
	}

	public static void main(String[] args) throws Exception {
		int n = args.length > 0 ? Integer.parseInt(args[0]) : 20;

		pause = args.length > 1 ? Integer.parseInt(args[1]) : pause;
		for (int i = 0; i < n; i++)
			handle();
		System.out.printf("fetch %d store %d%n", fetched / 1000000, stored / 1000000);
	}
}
