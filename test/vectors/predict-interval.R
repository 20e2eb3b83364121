# Writes predict-interval.json: standard errors and intervals of R's predict(lm) and predict(glm) for rows the fit has
# not seen; with errors clustered by site from sandwich::vcovCL. Row r of the training table belongs to site (r - 1) %% 3.
# Run from this folder: Rscript predict-interval.R > predict-interval.json (made with R 4.2.2, sandwich 3.0).

source("json.R")
suppressMessages(library(sandwich))
set.seed(20264)
make <- function(n) {
  data <- data.frame(
    x = round(rnorm(n, 10, 3), 2),
    year = sample(2000:2020, n, TRUE),
    u = sample(-9:9, n, TRUE),
    g = sample(c("no", "yes"), n, TRUE),
    h = sample(c("high", "low", "mid"), n, TRUE),
    w = round(rgamma(n, 2) + 0.1, 3)
  )
  data$y <- round(3 + 0.5 * data$x + 0.2 * (data$year - 2010) - 0.02 * (data$year - 2010)^2 +
                    2 * (data$g == "yes") + rnorm(n), 3)
  data$z <- round(100 - 3 * data$x + 0.3 * data$u + rnorm(n, 0, 5), 2)
  data$ill <- ifelse(runif(n) < plogis(-0.5 + 0.15 * (data$x - 10) + 0.1 * (data$year - 2010)), 1, 0)
  data$count <- rpois(n, exp(0.5 + 0.05 * data$x + 0.3 * (data$g == "yes")))
  data$twice <- 2 * data$x
  data
}
train <- make(90)
fresh <- make(400)
inside <- Reduce(`&`, lapply(c("x", "year", "u"), function(name)
  fresh[[name]] >= min(train[[name]]) & fresh[[name]] <= max(train[[name]])))
new <- fresh[inside, ][1:20, c("h", "x", "g", "year", "u", "twice")]
new$x[4] <- NA
new$g[9] <- NA
rownames(new) <- NULL
train$site <- (seq_len(nrow(train)) - 1) %% 3

cases <- list(
  list(formula = "y ~ 1", level = 0.95),
  list(formula = "y ~ year", level = 0.95),
  list(formula = "y ~ x + year + g + h", level = 0.9),
  list(formula = "y ~ x*g + h*u", level = 0.99),
  list(formula = "y ~ x + h - 1", level = 0.95),
  list(formula = "y ~ year - 1", level = 0.95),
  list(formula = "y ~ x + twice + g", level = 0.95),
  list(formula = "y ~ year + I(year^2)", level = 0.95),
  list(formula = "y ~ x + I(x^2) + I((year - 2010)^2)", level = 0.95),
  list(formula = "y ~ x + year + g", weights = "w", level = 0.95),
  list(formula = "y ~ (x + u + h)^2", weights = "w", level = 0.8),
  list(formula = "cbind(y, z) ~ x*u + g", level = 0.95),
  list(formula = "y ~ x + year + g", errors = "clustered", level = 0.95),
  list(formula = "y ~ x + g", weights = "w", errors = "clustered", level = 0.95),
  list(formula = "ill ~ x + year", family = "binomial", level = 0.95),
  list(formula = "ill ~ x*g", family = "binomial", level = 0.9),
  list(formula = "count ~ x + g", family = "poisson", level = 0.95)
)

columns_of <- function(table) apply(table, 2, column)

# Clustered errors are multiplied out, which costs digits far from 0: there the year is counted from 2010, which leaves
# the model as it is.
linear <- function(case, left) {
  formula <- as.formula(sub("^[^~]*", paste0(left, " "), case$formula))
  if (!is.null(case$errors)) formula <- as.formula(sub("year", "I(year - 2010)", deparse(formula)))
  arguments <- list(formula, data = train)
  if (!is.null(case$weights)) arguments$weights <- train[[case$weights]]
  model <- do.call(lm, arguments)
  if (is.null(case$errors)) {
    mean <- predict(model, new, se.fit = TRUE, interval = "confidence", level = case$level)
    fresh <- predict(model, new, interval = "prediction", level = case$level)
    se <- mean$se.fit
    bounds <- cbind(mean$fit, fresh[, -1])
  } else {
    rows <- model.matrix(delete.response(terms(model)), model.frame(delete.response(terms(model)), new, na.action = na.pass))
    fit <- drop(rows %*% coef(model))
    se <- sqrt(rowSums((rows %*% vcovCL(model, train$site, type = "HC1")) * rows))
    t <- qt((1 + case$level) / 2, 2)
    wide <- t * sqrt(se^2 + summary(model)$sigma^2)
    bounds <- cbind(fit, fit - t * se, fit + t * se, fit - wide, fit + wide)
  }
  record(fitted = column(bounds[, 1]), se = column(se), confidence = list_of(columns_of(bounds[, 2:3])),
         prediction = list_of(columns_of(bounds[, 4:5])))
}

# The covariance is taken where the last step began, short of the optimum: the second fit begins at the optimum.
generalized <- function(case) {
  formula <- as.formula(case$formula)
  near <- glm(formula, case$family, train, control = list(epsilon = 1e-15, maxit = 50))
  model <- glm(formula, case$family, train, start = coef(near))
  told <- predict(model, new, se.fit = TRUE)
  z <- qnorm((1 + case$level) / 2)
  mean <- model$family$linkinv
  record(fitted = column(mean(told$fit)), link = column(told$fit), se = column(told$se.fit),
         confidence = list_of(columns_of(mean(cbind(told$fit - z * told$se.fit, told$fit + z * told$se.fit)))))
}

texts <- suppressWarnings(vapply(cases, function(case) {
  left <- trimws(sub("~.*", "", case$formula))
  lefts <- strsplit(gsub("cbind\\(|\\)", "", left), ", ")[[1]]
  answers <- if (is.null(case$family)) vapply(lefts, function(one) linear(case, one), "") else generalized(case)
  record(formula = text(case$formula), weights = text(case$weights), errors = text(case$errors),
         family = text(case$family), level = number(case$level), responses = list_of(answers))
}, ""))

train$site <- NULL
cat('{\n  "source": ', text(paste("test/vectors/predict-interval.R,", R.version.string)), ",\n", sep = "")
cat('  "train": ', table_of(train), ",\n", '  "new": ', table_of(new), ",\n", sep = "")
cat('  "cases": [\n    ', paste(texts, collapse = ",\n    "), "\n  ]\n}\n", sep = "")
