# Writes rank.json: what R's lm makes of designs that lack rank. An aliased coefficient is null.
# Run from this folder: Rscript rank.R > rank.json (made with R 4.2.2).

source("json.R")
set.seed(20260)
n <- 48
data <- data.frame(
  x1 = round(rnorm(n, 3, 2), 2),
  x2 = round(runif(n, -5, 5), 1),
  x4 = round(rexp(n, 0.2), 3),
  g = rep(c("a", "b", "c", "d"), length.out = n),
  h = rep(c("p", "q", "r"), each = 4, length.out = n),
  zero = 0,
  seven = 7,
  tenth = 0.1
)
# Decimals whose binary sum is not the binary of the decimal sum.
data$x3 <- round(data$x1 + data$x2, 2)
data$x5 <- round(0.3 * data$x1 - 0.7 * data$x2 + 1.1, 3)
data$copy <- data$x1
data$thousandth <- round(data$x1 / 1000, 6)
data$isa <- as.numeric(data$g == "a")
data$isb <- as.numeric(data$g == "b")
data$isc <- as.numeric(data$g == "c")
data$isd <- as.numeric(data$g == "d")
data$y <- round(2 + 0.7 * data$x1 - 1.3 * data$x2 + 0.2 * data$x4 + (data$g == "b") + rnorm(n), 2)
data$z <- round(5 - data$x1 + rnorm(n), 3)
data$w <- round(runif(n, 0.2, 3), 2)

# Two combinations of g and h that no row has.
holes <- data[!(data$g == "b" & data$h == "q") & !(data$g == "d" & data$h == "r"), ]
few <- data[1:4, ]

cases <- list(
  list("y ~ isa + isb + isc + isd", "data"),
  list("y ~ isa + isb + isc + isd - 1", "data"),
  list("y ~ isd + g + x1", "data"),
  list("y ~ g + isb + x1", "data"),
  list("y ~ x1 + x2 + x3", "data"),
  list("y ~ x3 + x2 + x4 + x1", "data"),
  list("y ~ x1 + x2 + x3 - 1", "data"),
  list("y ~ x1 + x5 + x4 + x2", "data"),
  list("y ~ x1 + copy + x2", "data"),
  list("y ~ x1 + thousandth + x2", "data"),
  list("y ~ x1 + I(2 * x1) + I(x1^2) + I(x1 * x1)", "data"),
  list("y ~ x1 + seven + x2", "data"),
  list("y ~ tenth + x2", "data"),
  list("y ~ seven + tenth + x1 - 1", "data"),
  list("y ~ zero + x1", "data"),
  list("y ~ x1 + zero + x2 - 1", "data"),
  list("y ~ zero", "data"),
  list("y ~ g*h", "holes"),
  list("y ~ g:h", "holes"),
  list("y ~ g*h + x1", "holes"),
  list("y ~ g:h - 1", "holes"),
  list("y ~ x1 + g:x1", "data"),
  list("y ~ x1 + x2 + x3 + g*h + copy", "holes"),
  list("cbind(y, z) ~ x1 + x2 + x3 + x4", "data"),
  list("y ~ x1 + x2 + x3 + x4", "data", "w"),
  list("y ~ seven + x1 + tenth", "data", "w"),
  list("y ~ zero + x1:g + seven + tenth - 1", "data", "w"),
  list("y ~ g*h + x1:g:h", "holes", "w"),
  list("y ~ x1 + x2 + x4 + z + isa", "few")
)

text_cases <- vapply(cases, function(case) {
  table <- get(case[[2]])
  weights <- if (length(case) == 3) table[[case[[3]]]] else NULL
  call <- list(as.formula(case[[1]]), data = table)
  if (!is.null(weights)) call$weights <- weights
  model <- do.call(lm, call)
  responses <- if (inherits(model, "mlm")) summary(model) else list(summary(model))
  coefficients <- as.matrix(coef(model))
  parts <- vapply(seq_along(responses), function(k) {
    one <- responses[[k]]
    error <- rep(NA, nrow(coefficients))
    kept <- !is.na(coefficients[, k])
    error[kept] <- one$coefficients[, 2]
    record(coefficients = column(coefficients[, k]), errors = column(error),
           sigma = number(one$sigma), r2 = number(one$r.squared))
  }, "")
  record(formula = text(case[[1]]), table = text(case[[2]]),
         weights = if (length(case) == 3) text(case[[3]]),
         names = list_of(text(rownames(coefficients))),
         df_residual = number(model$df.residual), responses = list_of(parts))
}, "")

cat('{\n  "source": ', text(paste("test/vectors/rank.R,", R.version.string)), ",\n", sep = "")
cat('  "tables": {\n    "data": ', table_of(data), ',\n    "holes": ', table_of(holes),
    ',\n    "few": ', table_of(few), "\n  },\n", sep = "")
cat('  "cases": [\n    ', paste(text_cases, collapse = ",\n    "), "\n  ]\n}\n", sep = "")
