import * as z from 'zod';
import { studySchema } from '../study/schema.ts';
import * as answers from './answer-schemas.ts';
import * as messages from './message-schemas.ts';
import { refusalStatus } from './refusal.ts';
import { type Route, type RouteAnswer, type RouteName, routes } from './routes.ts';

type Json = Readonly<Record<string, unknown>>;

/** Schemas that have a name of their own in the document. */
const named: Readonly<Record<string, z.ZodType>> = {
  Study: studySchema,
  CreateStudy: messages.createStudy,
  ReopenStudy: messages.reopenStudy,
  ExtendStudy: messages.extendStudy,
  InviteSite: messages.inviteSite,
  Offer: messages.offer,
  WithdrawSite: messages.withdrawSite,
  ResolveStudy: messages.resolveStudy,
  Nothing: messages.nothing,
  Problem: answers.problem,
  Health: answers.health,
  StudyCreated: answers.studyCreated,
  InvitationSecret: answers.invitationSecret,
  StudyView: answers.studyView,
  Studies: answers.studies,
  OfferAnswer: answers.offerAnswer,
  Receipt: answers.receipt,
  Receipts: answers.receipts,
  Erasure: answers.erasure,
  Resolution: answers.resolution,
  Resolutions: answers.resolutions,
  Inquiry: messages.analyseStudy,
  Analysis: answers.analysis,
  AuditEntry: answers.auditEntry,
  AuditLog: answers.auditLog,
};

const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
const place = (name: string) => `#/components/schemas/${name}`;

/** The OpenAPI 3.1 document of the routes. */
export function openapi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(name, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Suffice coordinator',
      version: '1',
      description: 'Collects one contribution from each site of a study and resolves their sum.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: namedSchemas(),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function namedSchemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: place, io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id, $schema, id, ...schema }]) => [name, schema]),
  );
}

function operation(name: RouteName, { path, who, summary, request, answers }: Route): Json {
  const parameters = Array.from(path.matchAll(/:(\w+)/g), ([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId: name,
    summary,
    ...(who.length === 0 ? {} : { security: [{ bearer: [] }], 'x-roles': who }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: request.type === 'application/octet-stream',
            content: {
              [request.type]: request.type === 'application/json' ? content(request.schema) : {},
            },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, response(answer)]),
      ),
      default: {
        description: `refused: ${Object.entries(refusalStatus)
          .map(([code, status]) => `${status} ${code}`)
          .join(', ')}`,
        content: { 'application/json': content(answerProblem) },
      },
    },
  };
}

const answerProblem = answers.problem;

function response({ description, schema, type }: RouteAnswer): Json {
  if (schema !== undefined) {
    return { description, content: { 'application/json': content(schema) } };
  }
  return { description, ...(type === undefined ? {} : { content: { [type]: {} } }) };
}

function content(schema: z.ZodType): Json {
  const name = names.get(schema);
  if (name === undefined) throw new Error('a schema of a route has no name in the document');
  return { schema: { $ref: place(name) } };
}
