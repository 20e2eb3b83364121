import type { ZodType } from 'zod';
import type { Inquiry } from '../analysis/inquiry.ts';
import * as answers from './answer-schemas.ts';
import * as messages from './message-schemas.ts';
import type { CreateStudy, Offer } from './messages.ts';

/** Who may ask: a bearer secret has exactly one of these roles. */
export type Role = 'operator' | 'study' | 'site';

/** What a request carries in its body. */
export type RouteRequest =
  | { readonly type: 'application/json'; readonly schema: ZodType; readonly limit: number }
  | { readonly type: 'application/octet-stream' };

/** What an answer carries: JSON of a schema, or text of another type, or nothing. */
export interface RouteAnswer {
  readonly description: string;
  readonly schema?: ZodType;
  readonly type?: string;
}

/** One thing that can be asked of a coordinator. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for one segment. */
  readonly path: string;
  /** Empty where no secret is needed. */
  readonly who: readonly Role[];
  readonly summary: string;
  readonly request?: RouteRequest;
  /** By status. Refusals are `Problem`s with the status of their code and are not listed. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
}

/** JSON bodies by route; the other routes take none. */
export interface RequestBodies {
  readonly createStudy: CreateStudy;
  readonly openStudy: Record<string, never>;
  readonly closeStudy: Record<string, never>;
  readonly reopenStudy: messages.ReopenStudy;
  readonly extendStudy: messages.ExtendStudy;
  readonly inviteSite: messages.InviteSite;
  readonly putOffer: Offer;
  readonly withdrawSite: messages.WithdrawSite;
  readonly resolveStudy: messages.ResolveStudy;
  readonly analyseStudy: Inquiry;
}

export type RouteName =
  | keyof RequestBodies
  | 'health'
  | 'metrics'
  | 'openapi'
  | 'listStudies'
  | 'viewStudy'
  | 'revokeSite'
  | 'contribute'
  | 'listReceipts'
  | 'listResolutions'
  | 'getResolution'
  | 'getTotal'
  | 'getAuditLog'
  | 'watchEvents';

const JSON_LIMIT = 64 * 1024;
/** Offers name every column. */
const WIDE_LIMIT = 1024 * 1024;
/** A new study names every column and every site. */
const STUDY_LIMIT = 16 * 1024 * 1024;

const anyone: readonly Role[] = [];
const operator: readonly Role[] = ['operator'];
const runsStudy: readonly Role[] = ['study', 'operator'];
const site: readonly Role[] = ['site'];
const everyParty: readonly Role[] = ['site', 'study', 'operator'];

const json = (schema: ZodType, limit: number = JSON_LIMIT): RouteRequest => ({
  type: 'application/json',
  schema,
  limit,
});
const view = { 200: { description: 'the study as it now stands', schema: answers.studyView } };

/** Everything a coordinator answers: router, OpenAPI document and docs are made from this. */
export const routes: Readonly<Record<RouteName, Route>> = {
  health: {
    method: 'GET',
    path: '/healthz',
    who: anyone,
    summary: 'Whether the coordinator and its store answer',
    answers: { 200: { description: 'both answer', schema: answers.health } },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    who: anyone,
    summary: 'Figures for Prometheus',
    answers: { 200: { description: 'text exposition format 0.0.4', type: 'text/plain' } },
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    who: anyone,
    summary: 'This document',
    answers: { 200: { description: 'OpenAPI 3.1', type: 'application/json' } },
  },
  createStudy: {
    method: 'POST',
    path: '/studies',
    who: operator,
    summary: 'Create a study and one invitation for each site',
    request: json(messages.createStudy, STUDY_LIMIT),
    answers: { 201: { description: 'secrets are told only here', schema: answers.studyCreated } },
  },
  listStudies: {
    method: 'GET',
    path: '/studies',
    who: operator,
    summary: 'All studies',
    answers: { 200: { description: 'newest first', schema: answers.studies } },
  },
  viewStudy: {
    method: 'GET',
    path: '/studies/:study',
    who: everyParty,
    summary: 'The study, its state and its sites',
    answers: view,
  },
  openStudy: {
    method: 'POST',
    path: '/studies/:study/open',
    who: runsStudy,
    summary: 'Let sites contribute to a draft',
    request: json(messages.nothing),
    answers: view,
  },
  closeStudy: {
    method: 'POST',
    path: '/studies/:study/close',
    who: runsStudy,
    summary: 'Stop collecting; the study resolves soon after if its quorum is met',
    request: json(messages.nothing),
    answers: view,
  },
  reopenStudy: {
    method: 'POST',
    path: '/studies/:study/reopen',
    who: runsStudy,
    summary: 'Collect again; late contributions now count',
    request: json(messages.reopenStudy),
    answers: view,
  },
  extendStudy: {
    method: 'POST',
    path: '/studies/:study/extend',
    who: runsStudy,
    summary: 'Move the deadline',
    request: json(messages.extendStudy),
    answers: view,
  },
  inviteSite: {
    method: 'POST',
    path: '/studies/:study/invitations',
    who: runsStudy,
    summary: 'A new secret for a site; its earlier ones stop working',
    request: json(messages.inviteSite),
    answers: { 201: { description: 'told only here', schema: answers.invitationSecret } },
  },
  revokeSite: {
    method: 'DELETE',
    path: '/studies/:study/invitations/:site',
    who: runsStudy,
    summary: 'A site’s secrets stop working',
    answers: { 204: { description: 'they no longer work' } },
  },
  putOffer: {
    method: 'PUT',
    path: '/studies/:study/offer',
    who: site,
    summary: 'Say what the site could provide, and the key it will sign with',
    request: json(messages.offer, WIDE_LIMIT),
    answers: { 200: { description: 'accepted, or what differs', schema: answers.offerAnswer } },
  },
  contribute: {
    method: 'POST',
    path: '/studies/:study/contributions',
    who: site,
    summary: 'Send a contribution: the file, optionally with Content-Encoding: gzip',
    request: { type: 'application/octet-stream' },
    answers: {
      200: { description: 'stored before; the same receipt', schema: answers.receipt },
      201: { description: 'stored, and it counts', schema: answers.receipt },
      202: { description: 'stored, but late: kept apart', schema: answers.receipt },
    },
  },
  listReceipts: {
    method: 'GET',
    path: '/studies/:study/contributions',
    who: site,
    summary: 'Receipts of the site’s contributions that are still held',
    answers: { 200: { description: 'in order of sequence', schema: answers.receipts } },
  },
  withdrawSite: {
    method: 'POST',
    path: '/studies/:study/withdrawals',
    who: everyParty,
    summary: 'Erase a site’s contributions: signed by the site, or by name for who runs the study',
    request: json(messages.withdrawSite),
    answers: { 200: { description: 'they are gone', schema: answers.erasure } },
  },
  resolveStudy: {
    method: 'POST',
    path: '/studies/:study/resolutions',
    who: runsStudy,
    summary: 'Resolve what counts now as a new numbered resolution',
    request: json(messages.resolveStudy),
    answers: { 201: { description: 'the new resolution', schema: answers.resolution } },
  },
  listResolutions: {
    method: 'GET',
    path: '/studies/:study/resolutions',
    who: everyParty,
    summary: 'All resolutions in short',
    answers: { 200: { description: 'in order of number', schema: answers.resolutions } },
  },
  getResolution: {
    method: 'GET',
    path: '/studies/:study/resolutions/:number',
    who: everyParty,
    summary: 'One resolution by its number, or `latest`',
    answers: { 200: { description: 'signed by the coordinator', schema: answers.resolution } },
  },
  getTotal: {
    method: 'GET',
    path: '/studies/:study/resolutions/:number/total',
    who: runsStudy,
    summary: 'The exact sum a resolution was made of, while that is what counts',
    answers: {
      200: { description: 'the tensor of a contribution', type: 'application/octet-stream' },
    },
  },
  analyseStudy: {
    method: 'POST',
    path: '/studies/:study/analyses',
    who: runsStudy,
    summary: 'Another look at what the newest resolution was made of; no site is asked again',
    request: json(messages.analyseStudy),
    answers: { 200: { description: 'signed by the coordinator', schema: answers.analysis } },
  },
  getAuditLog: {
    method: 'GET',
    path: '/studies/:study/audit-log',
    who: everyParty,
    summary: 'The hash-chained log of everything that happened to the study',
    answers: { 200: { description: 'signed by the coordinator', schema: answers.auditLog } },
  },
  watchEvents: {
    method: 'GET',
    path: '/studies/:study/events',
    who: everyParty,
    summary: 'Entries of the audit log as they are committed; Last-Event-ID resumes',
    answers: {
      200: { description: 'id: position, event: name, data: entry', type: 'text/event-stream' },
    },
  },
};
