import { eventStream } from './event-stream.ts';
import { element, joinView, problemView, studyView } from './views.ts';

const [study, token] = location.hash.slice(1).split('.');
const content = document.getElementById('content')!;
const state = document.getElementById('state')!;

/** Asks the coordinator; the secret travels in a header, never in the address. */
async function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`studies/${study}${path}`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    cache: 'no-store',
  });
}

async function draw(): Promise<void> {
  const answer = await ask('');
  const view = await answer.json();
  if (!answer.ok) {
    state.textContent = '';
    content.replaceChildren(...problemView(view));
    return;
  }
  document.title = `${view.study.name ?? view.id} · Suffice`;
  state.textContent = view.state;
  state.dataset.state = view.state;
  const resolution = view.resolution ? await (await ask('/resolutions/latest')).json() : undefined;
  const body = view.you === undefined ? studyView(view, resolution) : joinView(view, resolution);
  content.replaceChildren(...body);
}

/** Draws again whenever the study's log grows; a cut connection is taken up again. */
async function follow(): Promise<void> {
  let position = '0';
  for (;;) {
    try {
      const answer = await ask('/events', { 'Last-Event-ID': position });
      if (answer.status === 401 || answer.status === 403) return draw();
      if (!answer.ok || answer.body === null) throw new Error('no events');
      await draw();
      for await (const event of eventStream(answer.body)) {
        if (event.id === position) continue;
        position = event.id;
        scheduleDraw();
      }
    } catch {
      state.textContent = 'reconnecting';
      state.dataset.state = 'reconnecting';
    }
    await new Promise((done) => setTimeout(done, 1500));
  }
}

let drawing: ReturnType<typeof setTimeout> | undefined;

/** Many events at once are one drawing. */
function scheduleDraw(): void {
  if (drawing !== undefined) return;
  drawing = setTimeout(() => {
    drawing = undefined;
    void draw();
  }, 100);
}

if (study === undefined || token === undefined || study === '') {
  content.replaceChildren(
    element('h1', {}, 'No study in this link'),
    element('p', {}, 'Open the whole link you were given: the part behind # names the study.'),
  );
} else {
  void follow();
}
