"""What is large in random scripts (generate-scripts): long bodies, nested loops, unrolls with many copies, chains of
conditions, long strings, keys of many values. It exercises what is split, looped and stored outside of the BPF stack."""

LARGE = 0.05  # of the statements
LONG = 0.02  # of the bodies
MANY_KEYS = 0.04  # of the maps with keys


class Sizes:
    """A part of Scripts."""

    def fresh(self, letter):
        self.n_names += 1
        return f"${letter}{self.n_names}"

    def n_statements(self):
        self.is_long = self.some(LONG)
        if self.is_long:
            return self.r.randrange(20, 120)
        return self.r.randrange(1, 6)

    def n_keys(self):
        if self.some(MANY_KEYS):
            return self.r.randrange(4, 12)
        return self.pick(0, 1, 1, 2, 3)

    def statement_or_large(self, d):
        if not self.some(LARGE):
            return self.statement(d)
        options = [self.chain, self.long_string]
        if self.n_loops == 0:
            options += [self.nest, self.copies]
        return self.pick(*options)(d)

    def chain(self, d):
        name = self.fresh("x")
        branches = [f"if ({name} == {i}) {self.block(0)}" for i in range(self.r.randrange(4, 40))]
        return f"{name} = {self.int(d)}; " + " else ".join(branches) + f" else {self.block(0)}"

    def long_string(self, d):
        name = self.fresh("l")
        n = self.r.randrange(60, 199)
        text = "".join(self.pick(*"abc xyz") for _ in range(n))
        first = self.pick(f"{name} = \"{text}\";", f"let {name}: string[{n + 100}] = \"{text}\"; ")
        use = self.pick(f"print({name});", f"print(({name}, {self.int(d)}));", f"printf(\"%s %d\\n\", {name}, strlen({name}));",
                        f"if ({name} == {self.string(0)}) {self.block(0)}",
                        f"print(strcontains({name}, \"{self.pick('abc', 'zzz', text[20:50])}\"));")
        return f"{first} {use}"

    def nest(self, d):
        """Loops in loops. The kernel allows 8 nested calls, and stacks and searches in strings take some of them."""
        name = self.fresh("n")
        text = self.pick(f"{name}++;", f"if ({name} > {self.r.randrange(20)}) {{ break; }} {name}++;",
                         f"{name} += {self.int(0)};", f"@nested[{name} & 7] = count();")
        for _ in range(self.r.randrange(2, 6)):
            i = self.fresh("y")
            loop = self.pick(f"for ({i} : 0..{self.r.randrange(1, 5)})", f"for ({i} : 0..({self.int(0)} & 3))", "unroll (3)", "")
            text = f"{loop} {{ {text} }}" if loop else f"{i} = 0; while ({i} < 3) {{ {i}++; {text} }}"
        return f"{name} = {self.r.randrange(9)}; {text} print({name});"

    def copies(self, d):
        """The verifier takes at most a million steps: a long body has fewer."""
        return f"unroll ({self.pick(*([4, 16] if self.is_long else [16, 40, 100]))}) {self.block(min(d, 1))}"
