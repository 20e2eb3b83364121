import { request as forward } from 'node:http';
import { cut, localServer, type Received } from './local-server.ts';

/** What becomes of a request on its way: it passes, is cut before or after it was carried out, or waits for ever. */
export type Fate = 'pass' | 'cut-before' | 'cut-after' | 'hang';

/** A proxy on loopback that keeps what passes, and decides what becomes of it. */
export function watchingProxy(
  target: string,
  fateOf: (request: Received, count: number) => Fate = () => 'pass',
): ReturnType<typeof localServer> {
  return localServer((request, response, count) => {
    const fate = fateOf(request, count);
    if (fate === 'cut-before') cut(response);
    if (fate === 'cut-before' || fate === 'hang') return;
    const { method, path, headers, body } = request;
    const onward = forward(`${target}${path}`, { method, headers }, (answer) => {
      if (fate === 'cut-after') {
        answer.resume();
        answer.on('end', () => cut(response));
        return;
      }
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => cut(response));
    onward.end(body);
  });
}
