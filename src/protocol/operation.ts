import type { MaskStageName } from './mask-messages.ts';
import type { MessageName, Messages } from './messages.ts';
import type { PartyStep } from './party-messages.ts';

/** The role of a caller; each bearer secret has one. */
export type Role = 'operator' | 'study' | 'site' | 'open';

/** The body of a request: a JSON message of at most `limit` bytes, or a file. */
export type OperationRequest =
  | { readonly message: MessageName; readonly limit?: number }
  | { readonly type: 'application/octet-stream'; readonly digest?: 'required' };

/** The body of an answer: a JSON message, content of another type, or nothing. */
export interface OperationAnswer {
  readonly description: string;
  readonly message?: MessageName;
  readonly type?: string;
}

/** One operation of a coordinator. */
export interface Operation {
  /** Its name in the OpenAPI document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for one segment. */
  readonly path: string;
  /** Roles that may call it; empty if no secret is needed. */
  readonly who: readonly Role[];
  readonly summary: string;
  readonly request?: OperationRequest;
  /** By status. Refusals are not listed: each is a `Problem` with the status of its code. */
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  /** Set if the operation must not be carried out twice. */
  readonly repeat?: 'when-untouched';
  /** Set if the answer may take minutes. */
  readonly patience?: 'long';
}

export type Operations = Readonly<Record<string, Operation>>;

/** Path segments that are not plain text. */
interface PathParts {
  readonly number: number | 'latest';
  readonly stage: MaskStageName;
  readonly block: number;
  readonly step: PartyStep;
}

type PathPart<Name> = Name extends keyof PathParts ? PathParts[Name] : string;
type Segments<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? [PathPart<Name>, ...Segments<`/${Rest}`>]
  : Path extends `${string}/:${infer Name}`
    ? [PathPart<Name>]
    : [];

type Body<Request> = Request extends { readonly message: infer Name extends MessageName }
  ? Messages[Name] extends Messages['Nothing']
    ? []
    : object extends Messages[Name]
      ? [body?: Messages[Name]]
      : [body: Messages[Name]]
  : Request extends { readonly type: string }
    ? [file: Uint8Array]
    : [];

type Content<Answer> = Answer extends { readonly message: infer Name extends MessageName }
  ? Messages[Name]
  : Answer extends { readonly type: 'application/octet-stream' }
    ? Uint8Array
    : Answer extends { readonly type: string }
      ? string
      : never;

/** Arguments of an operation: the path segments in order, then the body. */
export type Input<Row extends Operation> = [...Segments<Row['path']>, ...Body<Row['request']>];

/** Result of an operation, as a promise. */
export type Output<Row extends Operation> = [AnyContent<Row>] extends [never]
  ? Promise<void>
  : Promise<AnyContent<Row>>;

type AnyContent<Row extends Operation> = Content<Row['answers'][keyof Row['answers']]>;
