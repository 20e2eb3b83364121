# Writes across.json: what R says of one table dealt to six unequal sites: lme4, sandwich, metafor and lm.
# Run from this folder: Rscript across.R > across.json (made with R 4.2.2, lme4 1.1-31, sandwich 3.0-2, metafor 3.8-1).
# Site f never saw level "c" of g, and in site e every z is 2: their own fits are rank deficient.

suppressMessages({ library(lme4); library(sandwich); library(metafor) })
source("json.R")
set.seed(20264)
sizes <- c(a = 61, b = 44, c = 35, d = 27, e = 19, f = 14)
site <- rep(names(sizes), sizes)
n <- length(site)
shift <- c(a = 1.5, b = -0.8, c = 0.3, d = -2.1, e = 0.9, f = 2.2)
slope <- c(a = 0.5, b = 0.7, c = 0.4, d = 0.9, e = 0.45, f = 0.6)
data <- data.frame(x = round(rnorm(n, 50 + 4 * shift[site], 8), 1), z = round(rexp(n, 0.5), 2))
data$z[site == "e"] <- 2
data$g <- sample(c("p", "q", "c"), n, replace = TRUE)
data$g[site == "f" & data$g == "c"] <- "q"
data$w <- round(rgamma(n, 4, 2), 2) + 0.1
data$y <- round(3 + shift[site] + slope[site] * data$x - 0.8 * data$z + 1.2 * (data$g == "q")
                - 0.7 * (data$g == "c") + rnorm(n, 0, 3 / sqrt(data$w)), 2)
data$v <- round(rnorm(n, 10, 2) + 0.1 * data$x, 2) # no site effect beyond x
data$site <- site
data$g <- factor(data$g, levels = c("p", "q", "c"))

named <- function(v) do.call(record, as.list(setNames(number(v), names(v))))
matrix_of <- function(m) list_of(number(as.vector(m)))

mixed <- function(formula, weighted, reml) {
  frame <- data
  frame$.w <- if (weighted) frame$w else rep(1, n)
  control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-13, maxfun = 1e5))
  fit <- suppressWarnings(suppressMessages(lmer(update(formula, . ~ . + (1 | site)), frame, weights = .w, REML = reml,
                                                 control = control)))
  null <- lm(formula, frame, weights = .w)
  modes <- ranef(fit, condVar = TRUE)$site
  record(formula = text(deparse(formula)), weighted = if (weighted) "true" else "false",
         reml = if (reml) "true" else "false",
         estimates = named(fixef(fit)), covariance = matrix_of(as.matrix(vcov(fit))), sigma = number(sigma(fit)),
         variance = number(as.data.frame(VarCorr(fit))$vcov[1]), logLik = number(as.numeric(logLik(fit))),
         null = number(as.numeric(logLik(null, REML = reml))),
         modes = named(setNames(modes[[1]], rownames(modes))), errors = matrix_of(sqrt(attr(modes, "postVar"))))
}
formulas <- list(y ~ x + z + g, y ~ x + z + g - 1, y ~ 1, v ~ x)
models <- unlist(lapply(formulas, function(f) unlist(lapply(c(FALSE, TRUE), function(w)
  unlist(lapply(c(TRUE, FALSE), function(r) mixed(f, w, r)))))))

fixed <- function(formula, weighted) {
  frame <- data
  frame$.w <- if (weighted) frame$w else rep(1, n)
  small <- lm(formula, frame, weights = .w)
  large <- lm(update(formula, . ~ . + site), frame, weights = .w)
  test <- anova(small, large)
  coded <- grepl("^site", names(coef(large)))
  effects <- setNames(coef(large)[coded], sub("^site", "", names(coef(large))[coded]))
  v <- vcov(large)[coded, coded, drop = FALSE]
  if (length(effects) < length(sizes)) {
    effects <- c(a = 0, effects)
    v <- rbind(0, cbind(0, v))
  }
  contrast <- diag(length(sizes)) - 1 / length(sizes)
  known <- !anyNA(effects)
  record(formula = text(deparse(formula)), weighted = if (weighted) "true" else "false",
         statistic = number(test$F[2]), df = number(test$Df[2]), residual = number(test$Res.Df[2]),
         p = number(test$`Pr(>F)`[2]),
         departures = if (known) named(setNames(as.vector(contrast %*% effects), names(effects))) else "{}",
         errors = if (known) matrix_of(sqrt(diag(contrast %*% v %*% t(contrast)))) else "[]")
}
effects <- unlist(lapply(list(y ~ x + z + g, y ~ x + z - 1, v ~ x), function(f) c(fixed(f, FALSE), fixed(f, TRUE))))

clustered <- function(formula, weighted) {
  frame <- data
  frame$.w <- if (weighted) frame$w else rep(1, n)
  fit <- lm(formula, frame, weights = .w)
  v0 <- vcovCL(fit, cluster = data$site, type = "HC0", cadjust = FALSE)
  v1 <- vcovCL(fit, cluster = data$site, type = "HC1")
  record(formula = text(deparse(formula)), weighted = if (weighted) "true" else "false",
         terms = column(names(coef(fit))), HC0 = matrix_of(v0), HC1 = matrix_of(v1))
}
robust <- unlist(lapply(list(y ~ x + z + g, y ~ x + z + g - 1, y ~ x + z + g + site), function(f)
  c(clustered(f, FALSE), clustered(f, TRUE))))

differ <- function(formula, weighted) {
  frame <- data
  frame$.w <- if (weighted) frame$w else rep(1, n)
  one <- lm(formula, frame, weights = .w)
  own <- lapply(split(frame, frame$site), function(part) lm(formula, part, weights = .w))
  all <- sum(vapply(own, deviance, 0))
  ranks <- sum(vapply(own, function(f) f$rank, 0))
  df <- ranks - one$rank
  rest <- n - ranks
  chow <- ((deviance(one) - all) / df) / (all / rest)
  # A site's coefficient means the same as elsewhere unless a column of that site's own is a combination with it.
  alone <- lapply(own, function(f) {
    a <- alias(f)$Complete
    names(coef(f))[!is.na(coef(f)) & (if (is.null(a)) TRUE else
      !(names(coef(f)) %in% colnames(a)[apply(abs(a) > 1e-8, 2, any)]))]
  })
  terms <- vapply(names(coef(one)), function(term) {
    use <- names(own)[vapply(alone, function(t) term %in% t, TRUE)]
    yi <- vapply(use, function(s) coef(own[[s]])[[term]], 0)
    sei <- vapply(use, function(s) sqrt(vcov(own[[s]])[term, term]), 0)
    common <- rma(yi = yi, sei = sei, method = "FE")
    random <- rma(yi = yi, sei = sei, method = "DL")
    record(term = text(term), sites = column(use), estimates = column(yi), errors = column(sei),
           estimate = number(as.numeric(common$b)), error = number(common$se), Q = number(random$QE),
           p = number(random$QEp), I2 = number(random$I2), tau2 = number(random$tau2))
  }, "")
  without <- vapply(names(own), function(s) {
    rest <- lm(formula, frame[frame$site != s, ], weights = .w)
    list_of(number((coef(one) - coef(rest)) / sqrt(diag(vcov(one)))))
  }, "")
  cook <- vapply(names(own), function(s) {
    rest <- lm(formula, frame[frame$site != s, ], weights = .w)
    d <- coef(one) - coef(rest)
    as.numeric(t(d) %*% solve(vcov(one), d)) / length(d)
  }, 0)
  record(formula = text(deparse(formula)), weighted = if (weighted) "true" else "false",
         chow = number(chow), df = number(df), residual = number(rest), p = number(pf(chow, df, rest, lower.tail = FALSE)),
         terms = list_of(terms), changes = do.call(record, as.list(without)), cook = named(cook))
}
between <- unlist(lapply(list(y ~ x + z + g, y ~ x + z + g - 1, y ~ x), function(f) c(differ(f, FALSE), differ(f, TRUE))))

cat('{\n  "source": ', text(paste("test/vectors/across.R,", R.version.string)), ",\n", sep = "")
cat('  "table": ', table_of(data), ",\n", sep = "")
for (part in c("models", "effects", "robust", "between")) {
  cat('  "', part, '": [\n    ', paste(get(part), collapse = ",\n    "), "\n  ]", if (part != "between") ",", "\n", sep = "")
}
cat("}\n")
