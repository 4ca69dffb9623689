/**
 * The acting part of the demo: a process of its own that knows the service by its typed client alone. Its parent sends the
 * settings, is sent whether every expectation held, and ends this process by going away.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Client, createClient } from '../../../client/index.ts';
import { articleSentence, conversation, conversationSentence, navigationText, pdfSentence } from './content.ts';
import { demand, Expectations, until } from './expectations.ts';
import { Screen, type Source } from './screen.ts';
import { type ActSettings, actSettingsSchema } from './settings.ts';
import { type Site, startSite } from './site.ts';
import { Watch } from './watch.ts';

const POSTBACK_WITHIN_MS = 15_000;
/** The service's promise: running work stops this soon after a cancel. */
const STOPS_WITHIN_MS = 2000;
/** What the budget may hold a call up. */
const WAITS_SECONDS = 60;

const postbackSchema = z.object({ type: z.string(), data: z.object({ id: z.string(), status: z.string() }) });

interface Stage {
  api: Client;
  site: Site;
  screen: Screen;
  expectations: Expectations;
}

interface NewSource {
  type: 'FILE' | 'URI' | 'CONTENT' | 'COMPOSITION';
  name: string;
  data: string | string[];
  collectionId?: string;
  instructions?: { postback_url?: string };
}

/** The id of something made by an earlier step. */
function made(id: string | undefined, what: string): string {
  if (id === undefined) throw new Error(`${what} was not made.`);
  return id;
}

async function act(stage: Stage, spaceId: string, watch: Watch): Promise<void> {
  const { api, site, screen, expectations } = stage;

  async function create({ data, instructions = {}, ...rest }: NewSource): Promise<string> {
    screen.say(`Creating a ${rest.type} source.`);
    return (await api.sources.create.mutate({ ...rest, spaceId, initial_data: { data }, instructions })).id;
  }
  async function markdownOf(id: string): Promise<string> {
    return (await api.sources.content.query({ sourceId: id })).markdown;
  }

  let notes: string | undefined;
  await expectations.hold('A collection nests under another one, and the list is a tree', async () => {
    const project = await api.collections.create.mutate({ spaceId, name: 'Project', parentId: null });
    notes = (await api.collections.create.mutate({ spaceId, name: 'Notes', parentId: project.id })).id;
    const [root] = await api.collections.list.query({ spaceId });
    demand(root?.name === 'Project' && root.children[0]?.id === notes, 'The tree does not show Notes under Project.');
  });

  // All four are created first, so that they run at once.
  let file: string | undefined;
  await expectations.hold('A PDF reaches storage by a presigned PUT and becomes a FILE source', async () => {
    const pdf = await readFile(new URL('handbook.pdf', import.meta.url));
    const contentType = 'application/pdf';
    screen.say(`Uploading handbook.pdf (${pdf.length} bytes) to a presigned URL.`);
    const grant = await api.uploads.grant.mutate({ filename: 'handbook.pdf', contentType, size: pdf.length });
    const put = await fetch(grant.uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: pdf });
    demand(put.ok, `The PUT answered ${put.status}.`);
    file = await create({ type: 'FILE', name: 'Release handbook (PDF)', data: grant.fileKey });
  });
  let page: string | undefined;
  await expectations.hold('A URL becomes a URI source', async () => {
    page = await create({ type: 'URI', name: 'Rolling back (page)', data: site.articleUrl });
  });
  let chat: string | undefined;
  await expectations.hold('A pasted AI conversation becomes a CONTENT source of the nested collection', async () => {
    const collectionId = made(notes, 'The collection');
    chat = await create({ type: 'CONTENT', name: 'Renaming a column (chat)', data: conversation, collectionId });
  });
  let composition: string | undefined;
  await expectations.hold('The three become a COMPOSITION', async () => {
    site.setSecret((await api.postbacks.secret.query({})).secret);
    composition = await create({
      type: 'COMPOSITION',
      name: 'Everything about releases',
      data: [made(file, 'The FILE source'), made(page, 'The URI source'), made(chat, 'The CONTENT source')],
      instructions: { postback_url: site.postbackUrl },
    });
  });

  await expectations.hold("A sentence of the PDF stands in the FILE source's content", async () => {
    const id = made(file, 'The FILE source');
    await watch.complete(id);
    demand((await markdownOf(id)).includes(pdfSentence), `It does not hold "${pdfSentence}"`);
  });
  await expectations.hold(
    'The URI source holds the article, with its code and table, without the navigation',
    async () => {
      const id = made(page, 'The URI source');
      await watch.complete(id);
      const markdown = await markdownOf(id);
      for (const text of [articleSentence, 'deploy rollback --environment production', '| Dashboard']) {
        demand(markdown.includes(text), `It does not hold "${text}".`);
      }
      demand(!markdown.includes(navigationText), `It holds "${navigationText}".`);
    },
  );
  await expectations.hold('The CONTENT source holds the conversation', async () => {
    const id = made(chat, 'The CONTENT source');
    await watch.complete(id);
    demand((await markdownOf(id)).includes(conversationSentence), `It does not hold "${conversationSentence}".`);
  });
  await expectations.hold('The COMPOSITION holds all three, in the order of its members', async () => {
    const id = made(composition, 'The COMPOSITION');
    await watch.complete(id);
    const markdown = await markdownOf(id);
    const places = [pdfSentence, articleSentence, conversationSentence].map((text) => markdown.indexOf(text));
    const inOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
    demand(inOrder, `The sentences stand at ${places.join(', ')}.`);
  });
  await expectations.hold('One signed postback says that the composition is completed', async () => {
    const id = made(composition, 'The COMPOSITION');
    await until('a postback arrives', () => site.postbacks[0], POSTBACK_WITHIN_MS);
    await watch.see(
      'the postback is delivered',
      id,
      ({ postback }) => postback?.state === 'delivered',
      POSTBACK_WITHIN_MS,
    );
    const [postback, ...more] = site.postbacks;
    demand(postback !== undefined && more.length === 0, `${site.postbacks.length} postbacks arrived.`);
    demand(postback.refusal === null, `standardwebhooks refuses its signature: ${postback.refusal}.`);
    const { type, data } = postbackSchema.parse(postback.body);
    demand(type === 'source.completed' && data.id === id, `It says ${type} of ${data.id}.`);
  });

  let code: string | undefined;
  await expectations.hold('The code and the table of the conversation are artifacts', async () => {
    const { data } = await api.sources.artifacts.query({ sourceId: made(chat, 'The CONTENT source') });
    for (const kind of ['code', 'table']) {
      demand(
        data.some((artifact) => artifact.kind === kind),
        `There is no artifact of kind ${kind}.`,
      );
    }
    code = data.find((artifact) => artifact.kind === 'code')?.id;
  });
  await expectations.hold(
    'The code is promoted to a source that completes; promoting again answers the same',
    async () => {
      const artifactId = made(code, 'The artifact');
      screen.say('Promoting the code of the conversation.');
      const first = await api.artifacts.promote.mutate({ artifactId });
      const source = await watch.complete(first.id);
      demand(source.type === 'CONTENT', `It is ${source.type}.`);
      demand((await markdownOf(source.id)).includes('alter table projects'), 'It does not hold the code.');
      const second = await api.artifacts.promote.mutate({ artifactId });
      demand(second.id === source.id, `The second promote answered ${second.id}.`);
    },
  );
  await expectations.hold('Reprocessing makes generation 2, and the composition shows that it is stale', async () => {
    const id = made(chat, 'The CONTENT source');
    screen.say('Reprocessing the conversation.');
    const { generation } = await api.sources.reprocess.mutate({ sourceId: id });
    demand(generation === 2, `The answer says generation ${generation}.`);
    const source = await watch.complete(id, 2);
    demand(source.resultGeneration === 2, `Its result is of generation ${source.resultGeneration}.`);
    await watch.see('the composition is stale', made(composition, 'The COMPOSITION'), ({ stale }) => stale, 2000);
  });
  await expectations.hold('A run is canceled in the middle, and its request is given up within 2 s', async () => {
    const id = await create({ type: 'URI', name: 'A page that never answers', data: site.hangingUrl });
    await watch.see('it is PROCESSING', id, ({ status }) => status === 'PROCESSING');
    await until('its page is asked for', () => site.hanging.arrivedAt ?? undefined, POSTBACK_WITHIN_MS);
    screen.say('Canceling it in the middle of the fetch.');
    const askedAt = Date.now();
    const { status } = await api.sources.cancel.mutate({ sourceId: id });
    demand(status === 'CANCELED', `The answer says ${status}.`);
    const abortedAt = await until(
      'the request is given up',
      () => site.hanging.abortedAt ?? undefined,
      STOPS_WITHIN_MS,
    );
    demand(abortedAt >= askedAt, 'The request had ended before.');
    await watch.look();
    await watch.see('it is CANCELED', id, ({ status }) => status === 'CANCELED', 0);
  });
}

function sayWhereRunsAre(screen: Screen, sources: readonly Source[], { temporalUiUrl, keep }: ActSettings): void {
  if (temporalUiUrl === undefined) return;
  screen.say(`\nThe runs in the Temporal UI${keep ? '' : ', which `npm run demo -- --keep` leaves open'}:`);
  const width = Math.max(...sources.map(({ name }) => name.length));
  for (const { name, id } of sources) {
    screen.say(`  ${name.padEnd(width)}  ${temporalUiUrl}/namespaces/default/workflows/source-${id}`);
  }
}

async function run(settings: ActSettings): Promise<boolean> {
  const screen = new Screen();
  const expectations = new Expectations();
  const api = createClient({ url: settings.apiUrl, apiKey: settings.key, waitWhenLimited: WAITS_SECONDS });
  const site = await startSite(settings.port);
  const space = await api.spaces.create.mutate({ name: 'Demo', description: 'What npm run demo shows' });
  const watch = new Watch(api, space.id, screen);
  await act({ api, site, screen, expectations }, space.id, watch);
  await watch.stop();
  await watch.look();
  screen.finish();
  sayWhereRunsAre(screen, watch.sources, settings);
  screen.say('\nExpectations:');
  for (const line of expectations.lines()) screen.say(line);
  screen.say('');
  return expectations.allHeld;
}

// The Ctrl-C of a terminal reaches this process too; its parent decides when it ends.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', (message) => {
  const settings = actSettingsSchema.parse(message);
  run(settings)
    .catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      return false;
    })
    .then((passed) => {
      process.exitCode = passed ? 0 : 1;
      process.send?.({ passed });
      if (!settings.keep) process.disconnect();
    });
});
