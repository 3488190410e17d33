/* Sleeps 20 times below 150 calls of up() and down(), which call each other. */
public class Deep {
	static int up(int n) throws Exception {
		if (n == 0)
			Thread.sleep(40);
		return n == 0 ? 0 : down(n - 1) + 1;
	}

	static int down(int n) throws Exception {
		return up(n - 1) + 1;
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 20; i++)
			up(150);
	}
}
