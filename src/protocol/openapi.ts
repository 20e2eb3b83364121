import * as z from 'zod';
import { messageSchemas } from './answer-schemas.ts';
import type { MessageName } from './messages.ts';
import type { Operation, OperationAnswer, OperationRequest, Operations } from './operation.ts';
import { operations } from './operations.ts';
import { refusalStatus } from './refusal.ts';

type Json = Readonly<Record<string, unknown>>;

const place = (name: string) => `#/components/schemas/${name}`;

/** The OpenAPI 3.1 document of a coordinator’s operations. */
export function openapi(table: Operations = operations): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of Object.values(table)) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][row.method.toLowerCase()] = operation(row);
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
  for (const [id, schema] of Object.entries(messageSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: place, io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id, $schema, id, ...schema }]) => [name, schema]),
  );
}

function operation({ id, path, who, summary, request, answers }: Operation): Json {
  const parameters = Array.from(path.matchAll(/:(\w+)/g), ([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId: id,
    summary,
    ...(who.length === 0 ? {} : { security: [{ bearer: [] }], 'x-roles': who }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined ? {} : { requestBody: body(request) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, response(answer)]),
      ),
      default: {
        description: `refused: ${Object.entries(refusalStatus)
          .map(([code, status]) => `${status} ${code}`)
          .join(', ')}`,
        content: json('Problem'),
      },
    },
  };
}

function body(request: OperationRequest): Json {
  if ('message' in request) return { required: false, content: json(request.message) };
  return { required: true, content: { [request.type]: {} } };
}

function response({ description, message, type }: OperationAnswer): Json {
  if (message !== undefined) return { description, content: json(message) };
  return { description, ...(type === undefined ? {} : { content: { [type]: {} } }) };
}

function json(message: MessageName): Json {
  return { 'application/json': { schema: { $ref: place(message) } } };
}
