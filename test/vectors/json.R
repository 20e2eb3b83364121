# What the other scripts write JSON with, using base R only. Numbers keep 17 digits; NA, NaN and
# infinities become null.

text <- function(s) if (length(s) > 0) paste0('"', gsub('"', '\\\\"', s), '"')
number <- function(v) ifelse(is.finite(v), trimws(formatC(v, digits = 17, format = "g")), "null")
list_of <- function(items) paste0("[", paste(items, collapse = ", "), "]")
record <- function(...) {
  fields <- list(...)
  fields <- fields[!vapply(fields, is.null, TRUE)]
  paste0("{ ", paste0('"', names(fields), '": ', unlist(fields), collapse = ", "), " }")
}
column <- function(v) {
  if (is.numeric(v)) return(list_of(number(v)))
  list_of(ifelse(is.na(v), "null", paste0('"', as.character(v), '"')))
}
table_of <- function(data) do.call(record, lapply(as.list(data), column))
