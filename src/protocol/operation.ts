import type { MessageName, Messages } from './messages.ts';

/** Who may ask: a bearer secret has exactly one of these roles. */
export type Role = 'operator' | 'study' | 'site';

/** What a request carries in its body: a message as JSON of so many bytes at most, or a file. */
export type OperationRequest =
  | { readonly message: MessageName; readonly limit?: number }
  | { readonly type: 'application/octet-stream' };

/** What an answer carries: a message as JSON, or content of another type, or nothing. */
export interface OperationAnswer {
  readonly description: string;
  readonly message?: MessageName;
  readonly type?: string;
}

/** One thing that can be asked of a coordinator. */
export interface Operation {
  /** Its name in the OpenAPI document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for one segment. */
  readonly path: string;
  /** Empty where no secret is needed. */
  readonly who: readonly Role[];
  readonly summary: string;
  readonly request?: OperationRequest;
  /** By status. Refusals are `Problem`s with the status of their code and are not listed. */
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  /** Set where carrying it out twice is not carrying it out once. */
  readonly repeat?: 'when-untouched';
}

export type Operations = Readonly<Record<string, Operation>>;

/** Segments of a path that are more than a text. */
interface PathParts {
  readonly number: number | 'latest';
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

/** What an operation is given: the segments of its path in order, then its body. */
export type Input<Row extends Operation> = [...Segments<Row['path']>, ...Body<Row['request']>];

/** What an operation gives, in time. */
export type Output<Row extends Operation> = [AnyContent<Row>] extends [never]
  ? Promise<void>
  : Promise<AnyContent<Row>>;

type AnyContent<Row extends Operation> = Content<Row['answers'][keyof Row['answers']]>;
