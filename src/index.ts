export type { Aggregation, Collected } from './aggregation/aggregation.ts';
export type { Group, Monoid } from './algebra.ts';
export { answerText } from './analysis/answer-text.ts';
export type { Query } from './analysis/query.ts';
export type { Answer, Answered, Question } from './analysis/question.ts';
export { type NamedTopic as Topic, namedTopics as topics } from './analysis/topics.ts';
export { type Exposure, exposureOf } from './attack/exposure.ts';
export {
  type ConclusionTerms,
  conclude,
  type Result,
  reportOf,
  resultOf,
} from './conclude.ts';
export { DataError } from './data-error.ts';
export type { Acknowledgement } from './disclosure/acknowledgement.ts';
export { type AuditInput, audit, needsLeverage } from './disclosure/audit.ts';
export { auditTotal } from './disclosure/audit-total.ts';
export { budgetStandard } from './disclosure/budget-rule.ts';
export { factsCollector } from './disclosure/facts-collector.ts';
export { type History, historyOf } from './disclosure/history.ts';
export { leverageCounter } from './disclosure/leverage.ts';
export { type Standard, thresholdsOf } from './disclosure/profile.ts';
export type { PastRelease } from './disclosure/release.ts';
export { joinFacts, type RowFacts } from './disclosure/row-facts.ts';
export { joinTags, type RowTags, tagger } from './disclosure/row-tags.ts';
export type { Audit, RuleId, Verdict } from './disclosure/rule.ts';
export type { ExportedModel } from './export/exported-model.ts';
export { htmlReport } from './export/html-report.ts';
export { modelJson } from './export/model-json.ts';
export { onnx } from './export/onnx.ts';
export { pythonSnippet } from './export/python-snippet.ts';
export { rSnippet } from './export/r-snippet.ts';
export { glanceCsv, tidyCsv } from './export/tidy-csv.ts';
export { type Failure, FailureError, type FailureKind, failureOf, type Place } from './failure.ts';
export {
  type Agreement,
  agreement,
  collect,
  contribution,
  joinSummaries,
  readContribution,
  reduction,
  regressionOf,
  releasable,
} from './federate.ts';
export type { Method, Regression } from './fusion/method.ts';
export { nextPrivateRound, refine } from './fusion/next-round.ts';
export { parseStudy } from './fusion/study-schema.ts';
export type { EstimateFacts, SiteWeight } from './model/estimate-fit.ts';
export type { Glance, TermRow } from './model/inference.ts';
export { createPredictor, type Predictor } from './model/predict.ts';
export { type Report, reportJson, type SiteLine } from './model/report.ts';
export { reportText } from './model/report-text.ts';
export type {
  ReportedClasses,
  ReportedClassifier,
  ReportedDiscriminant,
  ReportedSoftmax,
} from './model/reported-classes.ts';
export { canFuse, createKernels, type Kernels } from './numeric/kernels.ts';
export type { Option, OptionName } from './option.ts';
export { composed } from './privacy/budget.ts';
export { deltaOf, epsilonOf, muOf } from './privacy/calibration.ts';
export { type Charge, chargeOf } from './privacy/charge.ts';
export { type Forecast, forecastFor } from './privacy/forecast.ts';
export { type Mechanism, mechanismOf } from './privacy/mechanism.ts';
export { verifyAuditLog } from './protocol/audit-chain.ts';
export {
  type ClientOptions,
  postStudy,
  requestStudies,
  type StudyClient,
  studyClient,
} from './protocol/client.ts';
export { type Communication, communication } from './protocol/communication.ts';
export { type FollowedRound, followRounds } from './protocol/follow-rounds.ts';
export { type Link, linkText, parseLink } from './protocol/link.ts';
export type {
  AuditEntry,
  CreateStudy,
  Offer,
  OfferAnswer,
  SealedErasure,
  SealedReceipt,
  SealedResolution,
  StudyCreated,
  StudyView,
} from './protocol/messages.ts';
export { NetworkFailure } from './protocol/network-failure.ts';
export { Refusal } from './protocol/refusal.ts';
export { createSigningKey, type SigningKey } from './protocol/signature.ts';
export { isSignedContribution, signContribution } from './protocol/signed-contribution.ts';
export { verifyResolution } from './protocol/verify-resolution.ts';
export { draftStudy } from './rows/draft-study.ts';
export {
  type Federated,
  type FederateOptions,
  federate,
  type InMemoryRows,
  type StudyOutline,
} from './rows/federate-rows.ts';
export type { ByteReader, FileHandle } from './rows/files.ts';
export type { Host } from './rows/host.ts';
export type { Job } from './rows/jobs.ts';
export { loadStudyFiles } from './rows/load-pinned.ts';
export { type Pool, poolOf, ReadingCancelled, type Thread } from './rows/pool.ts';
export { type PredictRequest, predictRows } from './rows/predict.ts';
export type { FitPlan } from './rows/prepare-fit.ts';
export { type FromThread, serveJob } from './rows/serve-jobs.ts';
export type { Address, Source, SourceReader, SourceVersion } from './rows/source.ts';
export { openSource } from './rows/sources.ts';
export type { Watch } from './rows/watch.ts';
export { AuditRefusal } from './site/audit-refusal.ts';
export { auditText } from './site/audit-text.ts';
export {
  type Joined,
  type JoinRequest,
  membershipAt,
  numberingOf,
  prepareJoin,
  resumePending,
  type SiteMembership,
  sendPrepared,
} from './site/join.ts';
export { MismatchedColumns } from './site/mismatched-columns.ts';
export {
  type Preparation,
  type Prepared,
  prepareContribution,
  refuseAudit,
  refuseUnacknowledged,
  unacknowledged,
} from './site/prepare-contribution.ts';
export { refuseDoubtfulLedger, type SiteStore } from './site/site-store.ts';
export type { RowWatcher, Summarizer, Summary } from './statistic/cross-product.ts';
export {
  type Contribution,
  contributionLimit,
  type Decoded,
  decodeContribution,
  encodeContribution,
} from './statistic/envelope.ts';
export type { Layout, SegmentLayout } from './statistic/layout.ts';
export type { Arithmetic, Grid, LinearLayout } from './statistic/linear-layout.ts';
export type { Segment } from './statistic/segments.ts';
export {
  type LinearStatistic,
  linearStatistic,
  type Statistic,
  statistics,
  sumStatistics,
} from './statistic/statistic.ts';
export type { CategoryColumn, Codebook, Column, NumberColumn } from './study/codebook.ts';
export { FormulaError, parseFormula } from './study/formula.ts';
export { parseCodebook } from './study/schema.ts';
export {
  type DisclosureTerms,
  type DisclosureThresholds,
  type DiscriminantFusion,
  type EstimateFusion,
  type Fusion,
  type GlmFusion,
  type NaiveBayesFusion,
  type PrivacyTerms,
  type RidgeFusion,
  type Study,
  type SumsFusion,
  studyDigest,
  type TableStudy,
} from './study/study.ts';
export type { Block, BlockSink } from './table/columns.ts';
export { type CsvPlan, type CsvReader, csvReader } from './table/csv.ts';
export { type Dialect, sniff } from './table/dialect.ts';
export { type CellValue, inMemoryBlock } from './table/in-memory.ts';
export {
  type FederatedParties,
  federateParties,
  type PartyColumns,
} from './vertical/federate-parties.ts';
