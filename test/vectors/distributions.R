# Tails and quantiles from R: Rscript test/vectors/distributions.R > test/vectors/distributions.json
# then python3 test/vectors/distributions.py, which adds the same numbers from mpmath to 20 digits.
# R 4.2.2 agrees with mpmath to 4e-13 in the tails, to 1e-7 in log tails next to 0 (p next to 1), and only to 1e-5
# in qt for p = 1e-100 and below with fractional df: there the test trusts mpmath.

number <- function(x) {
  if (is.infinite(x)) if (x > 0) '"Infinity"' else '"-Infinity"' else sprintf("%.17g", x)
}
rows <- character()
add <- function(f, arguments, value, log) {
  rows[[length(rows) + 1]] <<- sprintf('{"f":"%s","arguments":[%s],"value":%s,"log":%s}', f,
    paste(vapply(arguments, number, ""), collapse = ","), number(value), number(log))
}

for (df in c(1, 1.5, 2, 3, 4.7, 10, 30, 100, 333.25, 8671, 1e5, 1e7)) {
  for (t in c(1e-9, 0.01, 0.3, 1, 1.7, 1.96, 2.5, 4, 7, 12, 20, 30, 37, 100, 1e4, 1e9)) {
    # 2·pt(t, lower.tail = FALSE): two-sided.
    add("student", c(t, df), 2 * pt(t, df, lower.tail = FALSE),
      log(2) + pt(t, df, lower.tail = FALSE, log.p = TRUE))
  }
}
for (df in list(c(1, 1), c(1, 10), c(2, 8), c(3, 50.5), c(4, 8671), c(10, 10), c(50, 1e5), c(300, 1000), c(0.5, 3),
                c(5000, 8000), c(1, 1e7), c(20, 1e7), c(1e5, 1e6))) {
  for (f in c(1e-6, 0.1, 0.5, 0.9, 1, 1.05, 1.5, 2, 4, 10, 40, 200, 1e5)) {
    add("f", c(f, df), pf(f, df[1], df[2], lower.tail = FALSE),
      pf(f, df[1], df[2], lower.tail = FALSE, log.p = TRUE))
  }
}
for (df in c(0.5, 1, 2, 3, 7.5, 20, 100, 1000, 1e5, 1e7)) {
  for (x in df * c(1e-4, 0.3, 0.8, 0.99, 1, 1.001, 1.2, 2, 4, 10, 50, 400)) {
    add("chiSquare", c(x, df), pchisq(x, df, lower.tail = FALSE),
      pchisq(x, df, lower.tail = FALSE, log.p = TRUE))
  }
}
for (z in c(0.001, 0.1, 0.5, 1, 1.2, 1.7, 1.959963984540054, 2.5, 3, 5, 8, 12, 20, 30, 37, 38, 100, 1400)) {
  add("normal", z, 2 * pnorm(z, lower.tail = FALSE),
    log(2) + pnorm(z, lower.tail = FALSE, log.p = TRUE))
}
for (p in c(1e-300, 1e-100, 1e-20, 1e-8, 1e-4, 0.005, 0.025, 0.05, 0.2, 0.3, 0.45, 0.4999, 0.5001, 0.6, 0.75, 0.9,
            0.975, 0.995, 0.9999, 1 - 2^-40)) {
  add("normalQuantile", p, qnorm(p), 0)
  for (df in c(1, 2, 2.5, 5, 29, 8671, 1e7)) add("studentQuantile", c(p, df), qt(p, df), 0)
}
for (x in c(1e-8, 0.1, 0.5, 0.999, 1.5, 2.001, 3, 7.5, 19.5, 20.5, 100, 4336.75, 1e7, 1e12)) add("logGamma", x, lgamma(x), 0)
for (ab in list(c(0.5, 0.5), c(1e-3, 5), c(0.5, 8673.5), c(8673.5, 0.5), c(3, 1e9), c(150, 500), c(5e6, 5e6), c(0.25, 1e14))) {
  add("logBeta", ab, lbeta(ab[1], ab[2]), 0)
}
cat("[\n", paste(rows, collapse = ",\n"), "\n]\n", sep = "")
