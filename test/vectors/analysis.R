# Writes analysis.json: what R says of one table beside the coefficients: type III tests, nested models, contrasts,
# trends, predictions, GVIF, condition indices, standardised slopes, partial correlations, components, descriptions.
# Run from this folder: Rscript analysis.R > analysis.json (made with R 4.2.2, car, sandwich).

suppressMessages(library(car))
source("json.R")
set.seed(20264)
n <- 120
data <- data.frame(x1 = round(rnorm(n, 50, 10), 2))
data$x2 <- round(0.8 * data$x1 + rnorm(n, 0, 4), 2)
data$x3 <- round(rexp(n, 0.1), 3)
data$f3 <- sample(c("a", "b", "c"), n, TRUE)
data$f4 <- sample(c("none", "low", "mid", "high"), n, TRUE)
levels4 <- c("none", "low", "mid", "high")
effect <- c(none = 0, low = 1, mid = 3, high = 3.5)
data$y <- round(5 + 0.3 * data$x1 - 0.1 * data$x2 + 0.05 * data$x3 + effect[data$f4] +
                2 * (data$f3 == "b") + 0.1 * data$x1 * (data$f3 == "c") + rnorm(n, 0, 2), 3)
data$y2 <- round(1 - 0.2 * data$x3 + rnorm(n), 3)
data$sharp <- round(3 + 2 * data$x1 - data$x3 + effect[data$f4] + rnorm(n, 0, 0.02), 5)
data$w <- round(rgamma(n, 3) + 0.05, 2)

frame <- data
frame$f3 <- factor(data$f3)
frame$f4 <- factor(data$f4, levels = levels4)

named <- function(v) do.call(record, lapply(as.list(v), number))
matrix_of <- function(m) list_of(apply(m, 1, column))

anova_rows <- function(fit) {
  rows <- Anova(fit, type = 3)
  sums <- rows[["Sum Sq"]]; df <- rows[["Df"]]; f <- rows[["F value"]]
  left <- df.residual(fit)
  list_of(vapply(seq_along(df), function(k) record(term = text(trimws(rownames(rows)[k])), df = number(df[k]),
    sumsq = number(sums[k]), statistic = number(f[k]), p = number(rows[["Pr(>F)"]][k]),
    logp = number(pf(f[k], df[k], left, lower.tail = FALSE, log.p = TRUE))), ""))
}
drop_rows <- function(fit) {
  rows <- drop1(fit, scope = attr(terms(fit), "term.labels"), test = "F")[-1, ]
  list_of(vapply(seq_len(nrow(rows)), function(k) record(term = text(rownames(rows)[k]), df = number(rows$Df[k]),
    sumsq = number(rows[["Sum of Sq"]][k]), statistic = number(rows[["F value"]][k]), p = number(rows[["Pr(>F)"]][k])), ""))
}
line_of <- function(fit) record(df_residual = number(df.residual(fit)), deviance = number(deviance(fit)),
  r2 = number(summary(fit)$r.squared), adj_r2 = number(summary(fit)$adj.r.squared), AIC = number(AIC(fit)), BIC = number(BIC(fit)))
comparison_of <- function(fit, without) {
  smaller <- update(fit, as.formula(paste(". ~ . -", paste(without, collapse = " - "))))
  table <- anova(smaller, fit)
  record(without = column(without), df = number(table$Df[2]), statistic = number(table$F[2]), p = number(table[["Pr(>F)"]][2]),
         full = line_of(fit), reduced = line_of(smaller))
}
contrast_of <- function(fit, hypotheses, plain = hypotheses) {
  joint <- linearHypothesis(fit, plain)
  each <- vapply(plain, function(h) {
    one <- linearHypothesis(fit, h)
    record(estimate = number(attr(one, "value")[1]), variance = number(attr(one, "vcov")[1]), F = number(one$F[2]), p = number(one[["Pr(>F)"]][2]))
  }, "")
  record(of = column(hypotheses), rows = list_of(each), df = number(joint$Df[2]), df_residual = number(joint$Res.Df[2]),
         statistic = number(joint$F[2]), p = number(joint[["Pr(>F)"]][2]))
}
predict_of <- function(fit, at, level = 0.95) {
  row <- at
  if (!is.null(row$f3)) row$f3 <- factor(row$f3, levels = levels(frame$f3))
  if (!is.null(row$f4)) row$f4 <- factor(row$f4, levels = levels4)
  row <- as.data.frame(row)
  ci <- suppressWarnings(predict(fit, row, interval = "confidence", level = level, se.fit = TRUE))
  pi <- suppressWarnings(predict(fit, row, interval = "prediction", level = level))
  record(at = do.call(record, lapply(at, function(v) if (is.numeric(v)) number(v) else text(v))), level = number(level),
         fitted = number(ci$fit[1]), se = number(ci$se.fit), conf = column(ci$fit[2:3]), pred = column(pi[2:3]))
}
gvif_of <- function(fit) {
  v <- vif(fit)
  if (is.null(dim(v))) v <- cbind(v, 1, sqrt(v))
  list_of(vapply(seq_len(nrow(v)), function(k) record(term = text(rownames(v)[k]), gvif = number(v[k, 1]), df = number(v[k, 2]), scaled = number(v[k, 3])), ""))
}
# Belsley, Kuh & Welsch: singular values of the design (rows times sqrt(w)) with columns of unit length.
indices_of <- function(fit) {
  x <- model.matrix(fit) * sqrt(if (is.null(fit$weights)) 1 else fit$weights)
  parts <- svd(sweep(x, 2, sqrt(colSums(x^2)), "/"))
  shares <- sweep(parts$v^2, 2, parts$d^2, "/")
  shares <- shares / rowSums(shares)
  record(eigenvalue = column(parts$d^2), index = column(parts$d[1] / parts$d), shares = matrix_of(t(shares)))
}
scale_w <- function(x, w) { m <- sum(w * x) / sum(w); s <- sqrt(sum(w * (x - m)^2) / sum(w) * length(x) / (length(x) - 1)); (x - m) / s }
standard_of <- function(fit) {
  w <- if (is.null(fit$weights)) rep(1, n) else fit$weights
  x <- model.matrix(fit)[, -1]; y <- model.response(model.frame(fit))
  perSd <- coef(fit)[-1] * apply(x, 2, function(v) sqrt(sum(w * (v - sum(w * v) / sum(w))^2) / sum(w) * n / (n - 1)))
  again <- summary(lm(scale_w(y, w) ~ apply(x, 2, scale_w, w), weights = w))$coefficients[-1, ]
  record(term = column(colnames(x)), estimate = column(again[, 1]), se = column(again[, 2]), perSd = column(perSd))
}
partial_of <- function(fit) {
  w <- if (is.null(fit$weights)) rep(1, n) else fit$weights
  x <- model.matrix(fit); y <- model.response(model.frame(fit))
  wcor <- function(a, b) cov.wt(cbind(a, b), w, cor = TRUE, method = "ML")$cor[1, 2]
  rows <- vapply(2:ncol(x), function(j) {
    ry <- lm.wfit(x[, -j, drop = FALSE], y, w)$residuals; rx <- lm.wfit(x[, -j, drop = FALSE], x[, j], w)$residuals
    record(term = text(colnames(x)[j]), partial = number(wcor(ry, rx)), part = number(wcor(y, rx)), p = number(summary(fit)$coefficients[j, 4]))
  }, "")
  list_of(rows)
}
components_of <- function(fit) {
  x <- model.matrix(fit)[, -1]
  if (is.null(fit$weights)) { found <- prcomp(x, scale. = TRUE); sd <- found$sdev; v <- found$rotation }
  else { e <- eigen(cov.wt(x, fit$weights, cor = TRUE, method = "ML")$cor); sd <- sqrt(e$values); v <- e$vectors }
  v <- apply(v, 2, function(l) l * sign(l[which.max(abs(l))]))
  record(columns = column(colnames(x)), sd = column(sd), proportion = column(sd^2 / sum(sd^2)), loadings = matrix_of(t(v)))
}
describe_of <- function(fit) {
  z <- cbind(model.matrix(fit)[, -1], y = model.response(model.frame(fit)))
  w <- if (is.null(fit$weights)) rep(1, n) else fit$weights
  found <- cov.wt(z, w, cor = TRUE, method = "ML")
  record(mean = column(found$center), sd = column(sqrt(diag(found$cov) * n / (n - 1))), correlations = matrix_of(found$cor))
}
trend_of <- function(formula, weights = NULL) {
  ordered_frame <- frame
  ordered_frame$f4 <- ordered(data$f4, levels = levels4)
  ordered_frame$wt <- if (is.null(weights)) rep(1, n) else weights
  assign("ordered_frame", ordered_frame, globalenv())
  rows <- summary(lm(as.formula(formula), ordered_frame, weights = wt))$coefficients
  rows <- rows[grepl("^f4[.^]", rownames(rows)) & !grepl(":", rownames(rows)), , drop = FALSE]
  record(term = text("f4"), degree = column(sub("^f4", "", rownames(rows))), estimate = column(rows[, 1]), se = column(rows[, 2]),
         statistic = column(rows[, 3]), p = column(rows[, 4]))
}

case_of <- function(formula, weights, parts) {
  used <- frame
  used$wt <- if (is.null(weights)) rep(1, n) else data[[weights]]
  assign("used", used, globalenv()) # update() and car look it up there
  fit <- if (is.null(weights)) lm(as.formula(formula), used) else lm(as.formula(formula), used, weights = wt)
  record(formula = text(formula), weights = text(weights), anova = if ("anova" %in% names(parts)) anova_rows(fit),
    drop1 = if ("drop1" %in% names(parts)) drop_rows(fit),
    comparison = if ("comparison" %in% names(parts)) list_of(vapply(parts$comparison, function(w) comparison_of(fit, w), "")),
    contrast = if ("contrast" %in% names(parts)) list_of(vapply(parts$contrast, function(h) contrast_of(fit, h), "")),
    trend = if ("trend" %in% names(parts)) trend_of(formula, if (is.null(weights)) NULL else data[[weights]]),
    prediction = if ("prediction" %in% names(parts)) list_of(vapply(parts$prediction, function(p) predict_of(fit, p$at, p$level), "")),
    collinearity = if ("collinearity" %in% names(parts)) record(terms = if (parts$collinearity) gvif_of(fit), indices = indices_of(fit)),
    standardized = if ("columns" %in% names(parts)) standard_of(fit), partial = if ("columns" %in% names(parts)) partial_of(fit),
    components = if ("columns" %in% names(parts)) components_of(fit), description = if ("columns" %in% names(parts)) describe_of(fit),
    covariance = if ("columns" %in% names(parts)) matrix_of(vcov(fit)))
}

here <- list(x1 = 61.5, x2 = 44, x3 = 2.5, f3 = "b", f4 = "mid")
far <- list(x1 = 150, x2 = 10, x3 = 80, f3 = "c", f4 = "high")
main <- list(anova = TRUE, drop1 = TRUE, trend = TRUE, collinearity = TRUE, columns = TRUE,
  comparison = list("x1", c("x1", "x2"), "f4", c("f3", "f4", "x3")),
  contrast = list("x1 = 0", "x1 - x2 = 0", c("f3b - f3c = 0", "2*x1 + 0.5*(Intercept) = 3"),
                  c("f4low = f4mid", "f4mid = f4high", "x3 = 0.1")),
  prediction = list(list(at = here, level = 0.95), list(at = far, level = 0.9)))
crossed <- main
crossed$comparison <- list("x1:f3", c("x1:f3", "f3"))
crossed$contrast <- list("x1:f3c = 0.1", c("x1:f3b = x1:f3c", "f3b - f3c = 0"))
origin <- list(anova = TRUE, drop1 = TRUE, collinearity = FALSE, comparison = list("x1", "f3"),
  contrast = list(c("f3a = f3b", "f3b = f3c")), prediction = list(list(at = here[c("x1", "x2", "f3")], level = 0.99)))
cases <- c(
  case_of("y ~ x1 + x2 + x3 + f3 + f4", NULL, main),
  case_of("y ~ x1 + x2 + x3 + f3 + f4", "w", main),
  case_of("y ~ x1 * f3 + x2 + x3 + f4", NULL, crossed),
  case_of("y ~ x1 * f3 + x2 + x3 + f4", "w", crossed),
  case_of("y ~ x1 + x2 + f3 - 1", NULL, origin),
  case_of("y ~ x1 + x2 + f3 - 1", "w", origin),
  case_of("y ~ x1 + x2 + I(x1 + 2 * x2) + f3", NULL, list(drop1 = TRUE)),
  case_of("sharp ~ x1 + x3 + f4", NULL, list(anova = TRUE, contrast = list("x1 = 1.5", c("x1 = 1.5", "x3 = 0")))))

# Six sites, rows dealt in turn; HC1 as sandwich::vcovCL. car looks F up with n - p, so p-values are redone with K - 1.
sites <- (seq_len(n) - 1) %% 6
clustered_of <- function(formula, weights) {
  used <- frame
  used$wt <- if (is.null(weights)) rep(1, n) else data[[weights]]
  assign("used", used, globalenv())
  fit <- if (is.null(weights)) lm(as.formula(formula), used) else lm(as.formula(formula), used, weights = wt)
  v <- sandwich::vcovCL(fit, cluster = sites, type = "HC1")
  rows <- suppressMessages(Anova(fit, type = 3, vcov. = v))
  row <- model.matrix(delete.response(terms(fit)), data.frame(x1 = 61.5, x3 = 2.5, f4 = factor("mid", levels = levels4)))
  f <- rows$F[-nrow(rows)]; df <- rows$Df[-nrow(rows)]
  record(formula = text(formula), weights = text(weights), term = column(rownames(rows)[-nrow(rows)]), df = column(df),
         statistic = column(f), p = column(pf(f, df, 5, lower.tail = FALSE)),
         fitted = number(row %*% coef(fit)), se = number(sqrt(row %*% v %*% t(row))))
}
clustered <- c(clustered_of("y ~ x1 + x3 + f4", NULL), clustered_of("y ~ x1 + x3 + f4", "w"))

cars <- mtcars[, c("mpg", "wt", "hp", "qsec", "cyl")]
small <- lm(mpg ~ wt + hp + qsec + factor(cyl), cars)

cat('{\n  "source": ', text(paste("test/vectors/analysis.R,", R.version.string)), ",\n", sep = "")
cat('  "table": ', table_of(data), ",\n", sep = "")
cat('  "levels": { "f3": ', column(c("a", "b", "c")), ', "f4": ', column(levels4), " },\n", sep = "")
cat('  "cases": [\n    ', paste(cases, collapse = ",\n    "), "\n  ],\n", sep = "")
cat('  "clustered": [\n    ', paste(clustered, collapse = ",\n    "), "\n  ],\n", sep = "")
cat('  "mtcars": { "table": ', table_of(cars), ",\n    \"anova\": ", anova_rows(small), ",\n    \"gvif\": ", gvif_of(small), " },\n", sep = "")
cat('  "poly": { "5": ', matrix_of(t(contr.poly(5))), ', "12": ', matrix_of(t(contr.poly(12))), " }\n}\n", sep = "")
