# What each of the five sites of glm.json says by itself, and how far they agree: glm() and metafor.
# Rscript glm-sites.R > glm-sites.json   (jsonlite reads the table; json.R writes the answer)
source("json.R")
suppressMessages(library(metafor))
five <- jsonlite::fromJSON("glm.json")$five$table
data <- as.data.frame(five)
responses <- list(binomial = "y", poisson = "count")
answer <- function(family) {
  formula <- as.formula(paste(responses[[family]], "~ a + b + g"))
  fits <- lapply(split(data, data$site), function(rows)
    summary(glm(formula, family = family, data = rows,
      control = list(epsilon = 1e-15, maxit = 100)))$coefficients)
  terms <- rownames(fits[[1]])
  list_of(vapply(terms, function(term) {
    b <- vapply(fits, function(fit) fit[term, 1], 0)
    se <- vapply(fits, function(fit) fit[term, 2], 0)
    fixed <- rma(b, sei = se, method = "FE")
    random <- rma(b, sei = se, method = "DL")
    record(term = paste0('"', term, '"'), estimates = list_of(number(b)), errors = list_of(number(se)),
      mean = number(as.numeric(fixed$beta)), Q = number(fixed$QE), p = number(fixed$QEp),
      I2 = number(random$I2), tau2 = number(random$tau2))
  }, ""))
}
cat(record(source = text("R glm and metafor, one regression a site; see glm-sites.R"),
  binomial = answer("binomial"), poisson = answer("poisson")), "\n")
