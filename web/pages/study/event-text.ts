import type { AuditEntry } from '../../../src/protocol/messages.ts';
import { bytesText, timeText } from '../../ui/text.ts';

/** Text of a log entry. */
export function logEventText({ event, detail }: AuditEntry): string {
  const { site } = detail;
  switch (event) {
    case 'created':
      return `Created for ${listed(detail.sites)}`;
    case 'opened':
      return 'Opened: sites may contribute';
    case 'invited':
      return `${site} was given a new link${detail.forgetKey === true ? '; its key is forgotten' : ''}`;
    case 'revoked':
      return `The links of ${site} stopped working`;
    case 'enrolled':
      return `${site} enrolled with the open link`;
    case 'enrolment-ended':
      return 'Enrolling ended: the open link no longer works';
    case 'offer-accepted':
      return `${site} has the columns the study needs`;
    case 'offer-declined':
      return `${site} does not have all columns the study needs: ${listed(detail.columns)}`;
    case 'contributed':
      return `${site} contributed ${bytesText(Number(detail.bytes))}${detail.late === true ? ', late' : ''}${detail.mode === 'replace' ? ', replacing what it sent before' : ''}`;
    case 'withdrawn':
      return `${site} was withdrawn; its contributions are erased`;
    case 'erased':
      return `The contributions were erased after ${detail.days} days, as this coordinator does; the report stays`;
    case 'closed':
      return `Closed${reasons[String(detail.reason)] ?? ''}`;
    case 'reopened':
      return `Reopened${until(detail.deadline)}`;
    case 'extended':
      return `The deadline moved${until(detail.deadline)}`;
    case 'resolved':
      return `Resolution ${detail.number}`;
    case 'round-opened':
      return 'One more round was opened for the sites';
    case 'admin-renewed':
      return 'The analyst was given a new link; the old one stopped working';
    case 'admin-revoked':
      return 'The link of the analyst stopped working';
    case 'sum-sent':
      return `The sum over the sites was sent to the parent, as its number ${detail.sequence}`;
    case 'sum-withdrawn':
      return 'The sum over the sites was withdrawn at the parent';
    case 'sum-waits':
      return 'The sum over the sites could not be sent to the parent; the card of the study above says why';
    case 'parent-renewed':
      return 'The region has a new invitation to the study above';
    case 'parent-left':
      return 'The region left the study of its parent';
    case 'unusable':
      return `A contribution of ${site} was erased: ${detail.why}. It can send again`;
    case 'helper-answered':
      return `The helper added the masks of ${detail.contributions} contributions; the total could be opened`;
    case 'opening-asked':
      return `The sites were asked to open their numbers to the coordinator: ${listed(detail.sites)}`;
    case 'opening-agreed':
      return `${site} agreed to open its numbers to the coordinator`;
    case 'site-opened':
      return detail.finding === 'wrong'
        ? `${site} was opened, and its numbers are wrong: ${detail.why}. They are erased`
        : `${site} was opened, and its numbers are possible`;
    case 'stage-ended':
      return `The sites have agreed on masks, stage ${detail.stage}: ${detail.sites} sites`;
    case 'party-message':
      return detail.site === ''
        ? 'The helper has answered the parties'
        : `${site} has sent ${sentTexts[String(detail.step)] ?? `its ${detail.step}`}`;
    case 'wrong-shares':
      return `These sites gave wrong shares of masks, and the total was opened without them: ${detail.sites}`;
    case 'unresolved':
      return `Could not be resolved: ${detail.problem}`;
  }
}

const sentTexts: Readonly<Record<string, string>> = {
  keys: 'its key to the other parties',
  secret: 'the secret of the tokens to the other parties',
  tokens: 'its tokens for the helper',
  points: 'its points to the other party',
  doubled: 'the points of the other party back',
  count: 'the number of linked people for the helper',
  columns: 'masked columns to another party',
};

const reasons: Readonly<Record<string, string>> = {
  asked: ' by the analyst',
  deadline: ' at its deadline',
  complete: ': all sites have contributed',
  restored: ': the coordinator’s store was restored from an older copy',
};

function until(deadline: AuditEntry['detail'][string] | undefined): string {
  return deadline === undefined ? '' : ` to ${timeText(String(deadline))}`;
}

const MOST = 5;

function listed(names: AuditEntry['detail'][string] | undefined): string {
  const all = [names ?? []].flat().map(String);
  const shown = all.slice(0, MOST).join(', ');
  return all.length > MOST ? `${shown} and ${all.length - MOST} more` : shown;
}
