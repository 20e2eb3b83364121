# Writes estimates.json: each site's own lm (coef, vcov) and ridge, the weights of FESC and of the average, the weighted means,
# their covariances, and errors from the spread between the sites; over the penguins, and over four hospitals (UCI heart).
# Run from this folder: Rscript estimates.R > estimates.json (R 4.2.2, base R alone); needs ../../../shared/data.
# The weights of FESC are found by trying every support, not by equation (10); HC2 and its degrees of freedom come from lm's hat values and
# from the trace of matrices, not from the closed form.

source("json.R")
named <- function(v) do.call(record, as.list(setNames(number(v), names(v))))
matrix_of <- function(m) list_of(apply(m, 1, function(row) list_of(number(row))))

bound <- function(w, n) sum(w^2 / n + w / n^2)
fesc <- function(n) {
  best <- NULL
  for (mask in seq_len(2^length(n) - 1)) {
    kept <- bitwAnd(mask, 2^(seq_along(n) - 1)) > 0
    level <- (2 + sum(1 / n[kept])) / sum(n[kept])
    w <- ifelse(kept, (n * level - 1 / n) / 2, 0)
    if (all(w >= 0) && (is.null(best) || bound(w, n) < bound(best, n))) best <- w
  }
  best
}

ridge_of <- function(fit, lambda) {
  x <- model.matrix(fit)[, -1]
  y <- model.response(model.frame(fit))
  centred <- scale(x, scale = FALSE)
  slopes <- drop(solve(crossprod(centred) + lambda * diag(ncol(x)), crossprod(centred, y - mean(y))))
  c("(Intercept)" = mean(y) - sum(slopes * colMeans(x)), slopes)
}

# HC2 of a weighted mean and the degrees of freedom of Bell & McCaffrey, both by matrices.
spread <- function(theta, w) {
  kept <- w > 0
  fit <- lm(theta[kept] ~ 1, weights = w[kept])
  a <- w[kept] / sqrt(1 - hatvalues(fit))
  inside <- diag(sum(kept)) - outer(rep(1, sum(kept)), w[kept])
  form <- t(inside) %*% diag(a^2) %*% inside %*% diag(1 / w[kept])
  c(error = sqrt(sum((a * (theta[kept] - sum(w * theta)))^2)), freedom = sum(diag(form))^2 / sum(diag(form %*% form)))
}

combined <- function(fits, w) {
  coefs <- sapply(fits, coef)
  average <- drop(coefs %*% w)
  within <- Reduce(`+`, Map(function(fit, weight) weight^2 * vcov(fit), fits, w))
  between <- apply(coefs, 1, spread, w = w)
  record(weights = column(unname(w)), estimates = named(average), within = matrix_of(within),
         between = named(between["error", ]), freedom = number(between["freedom", 1]))
}

answer <- function(name, sites, formula, lambda) {
  fits <- lapply(sites, function(data) lm(formula, data))
  n <- vapply(fits, nobs, 0)
  own <- Map(function(fit, site) {
    record(site = text(site), n = number(nobs(fit)), estimates = named(coef(fit)), covariance = matrix_of(vcov(fit)),
           ridge = named(ridge_of(fit, lambda)))
  }, fits, names(sites))
  record(set = text(name), formula = text(paste(deparse(formula, width.cutoff = 500), collapse = "")), lambda = number(lambda),
         sites = list_of(unlist(own)), average = combined(fits, n / sum(n)), fesc = combined(fits, fesc(n)))
}

penguins <- lapply(c(biscoe = "biscoe", dream = "dream", torgersen = "torgersen"), function(island) {
  read.csv(file.path("../../examples/penguins", paste0(island, ".csv")), na.strings = c("", "NA"))
})
last <- nrow(penguins$torgersen) - 10:1 + 1
islet <- penguins$torgersen[last, ]
penguins$torgersen <- penguins$torgersen[-last, ]
hospitals <- lapply(c(cleveland = "cleveland", hungarian = "hungarian", switzerland = "switzerland", va = "va"), function(site) {
  read.csv(file.path("../../../shared/data/uci-heart/sites", paste0(site, ".csv")), na.strings = "?")
})
cat('{ "source": ', text(paste("test/vectors/estimates.R,", R.version.string)), ',\n  "sets": [\n',
    answer("penguins", c(penguins, list(islet = islet)), body_mass ~ bill_length + flipper_length + sex, 2.5), ",\n",
    answer("heart", hospitals, thalach ~ age + sex + trestbps + oldpeak, 40), "\n] }\n", sep = "")
