/**
 * The scenario of the demo, a process that uses the service through the typed client only. Its parent process sends the
 * settings, receives whether every check passed, and ends this process by disconnecting.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Client, createClient } from '../../../client/index.ts';
import { articleSentence, conversation, conversationSentence, navigationText, pdfSentence } from './content.ts';
import { assertThat, Expectations, until } from './expectations.ts';
import { Screen, type Source } from './screen.ts';
import { type ScenarioSettings, scenarioSettingsSchema } from './settings.ts';
import { type Site, startSite } from './site.ts';
import { Watch } from './watch.ts';

const POSTBACK_TIMEOUT_MS = 15_000;
/** The service guarantees that running work stops within this time after a cancel. */
const CANCEL_TIMEOUT_MS = 2000;
/** Longest wait of a call for the rate limit. */
const MAX_WAIT_SECONDS = 60;

const postbackSchema = z.object({ type: z.string(), data: z.object({ id: z.string(), status: z.string() }) });

interface ScenarioContext {
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

/** Returns the id from an earlier step. @throws Error if that step failed */
function required(id: string | undefined, what: string): string {
  if (id === undefined) throw new Error(`${what} was not created.`);
  return id;
}

async function runScenario(context: ScenarioContext, spaceId: string, watch: Watch): Promise<void> {
  const { api, site, screen, expectations } = context;

  async function create({ data, instructions = {}, ...rest }: NewSource): Promise<string> {
    screen.say(`Creating a ${rest.type} source.`);
    return (await api.sources.create.mutate({ ...rest, spaceId, initial_data: { data }, instructions })).id;
  }
  async function markdownOf(id: string): Promise<string> {
    return (await api.sources.content.query({ sourceId: id })).markdown;
  }

  let notes: string | undefined;
  await expectations.check('A collection is nested in another one, and the list is a tree', async () => {
    const project = await api.collections.create.mutate({ spaceId, name: 'Project', parentId: null });
    notes = (await api.collections.create.mutate({ spaceId, name: 'Notes', parentId: project.id })).id;
    const [root] = await api.collections.list.query({ spaceId });
    const isNested = root?.name === 'Project' && root.children[0]?.id === notes;
    assertThat(isNested, 'The tree does not show Notes under Project.');
  });

  // All four are created first, so that they run concurrently.
  let file: string | undefined;
  await expectations.check('A PDF is uploaded by a presigned PUT and becomes a FILE source', async () => {
    const pdf = await readFile(new URL('handbook.pdf', import.meta.url));
    const contentType = 'application/pdf';
    screen.say(`Uploading handbook.pdf (${pdf.length} bytes) to a presigned URL.`);
    const grant = await api.uploads.grant.mutate({ filename: 'handbook.pdf', contentType, size: pdf.length });
    const put = await fetch(grant.uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: pdf });
    assertThat(put.ok, `The PUT returned status ${put.status}.`);
    file = await create({ type: 'FILE', name: 'Release handbook (PDF)', data: grant.fileKey });
  });
  let page: string | undefined;
  await expectations.check('A URL becomes a URI source', async () => {
    page = await create({ type: 'URI', name: 'Rolling back (page)', data: site.articleUrl });
  });
  let chat: string | undefined;
  await expectations.check('A pasted AI conversation becomes a CONTENT source of the nested collection', async () => {
    const collectionId = required(notes, 'The collection');
    chat = await create({ type: 'CONTENT', name: 'Renaming a column (chat)', data: conversation, collectionId });
  });
  let composition: string | undefined;
  await expectations.check('The three become a COMPOSITION', async () => {
    site.setSecret((await api.postbacks.secret.query({})).secret);
    composition = await create({
      type: 'COMPOSITION',
      name: 'Everything about releases',
      data: [required(file, 'The FILE source'), required(page, 'The URI source'), required(chat, 'The CONTENT source')],
      instructions: { postback_url: site.postbackUrl },
    });
  });

  await expectations.check('The FILE source contains a sentence of the PDF', async () => {
    const id = required(file, 'The FILE source');
    await watch.complete(id);
    assertThat((await markdownOf(id)).includes(pdfSentence), `It does not contain "${pdfSentence}"`);
  });
  await expectations.check(
    'The URI source contains the article, with its code and table, without the navigation',
    async () => {
      const id = required(page, 'The URI source');
      await watch.complete(id);
      const markdown = await markdownOf(id);
      for (const text of [articleSentence, 'deploy rollback --environment production', '| Dashboard']) {
        assertThat(markdown.includes(text), `It does not contain "${text}".`);
      }
      assertThat(!markdown.includes(navigationText), `It contains "${navigationText}".`);
    },
  );
  await expectations.check('The CONTENT source contains the conversation', async () => {
    const id = required(chat, 'The CONTENT source');
    await watch.complete(id);
    assertThat((await markdownOf(id)).includes(conversationSentence), `It does not contain "${conversationSentence}".`);
  });
  await expectations.check('The COMPOSITION contains all three, in the order of its members', async () => {
    const id = required(composition, 'The COMPOSITION');
    await watch.complete(id);
    const markdown = await markdownOf(id);
    const places = [pdfSentence, articleSentence, conversationSentence].map((text) => markdown.indexOf(text));
    const inOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
    assertThat(inOrder, `The offsets of the sentences are ${places.join(', ')}.`);
  });
  await expectations.check('One signed postback says that the composition is completed', async () => {
    const id = required(composition, 'The COMPOSITION');
    await until('a postback arrives', () => site.postbacks[0], POSTBACK_TIMEOUT_MS);
    await watch.waitFor(
      'the postback is delivered',
      id,
      ({ postback }) => postback?.state === 'delivered',
      POSTBACK_TIMEOUT_MS,
    );
    const [postback, ...more] = site.postbacks;
    assertThat(postback !== undefined && more.length === 0, `${site.postbacks.length} postbacks arrived.`);
    assertThat(postback.signatureError === null, `standardwebhooks rejects its signature: ${postback.signatureError}.`);
    const { type, data } = postbackSchema.parse(postback.body);
    assertThat(type === 'source.completed' && data.id === id, `It says ${type} of ${data.id}.`);
  });

  let code: string | undefined;
  await expectations.check('The code and the table of the conversation are artifacts', async () => {
    const { data } = await api.sources.artifacts.query({ sourceId: required(chat, 'The CONTENT source') });
    for (const kind of ['code', 'table']) {
      assertThat(
        data.some((artifact) => artifact.kind === kind),
        `There is no artifact of kind ${kind}.`,
      );
    }
    code = data.find((artifact) => artifact.kind === 'code')?.id;
  });
  await expectations.check(
    'The code is promoted to a source that completes; promoting again returns the same source',
    async () => {
      const artifactId = required(code, 'The artifact');
      screen.say('Promoting the code of the conversation.');
      const first = await api.artifacts.promote.mutate({ artifactId });
      const source = await watch.complete(first.id);
      assertThat(source.type === 'CONTENT', `It is ${source.type}.`);
      assertThat((await markdownOf(source.id)).includes('alter table projects'), 'It does not contain the code.');
      const second = await api.artifacts.promote.mutate({ artifactId });
      assertThat(second.id === source.id, `The second promote returned ${second.id}.`);
    },
  );
  await expectations.check('Reprocessing creates generation 2, and the composition becomes stale', async () => {
    const id = required(chat, 'The CONTENT source');
    screen.say('Reprocessing the conversation.');
    const { generation } = await api.sources.reprocess.mutate({ sourceId: id });
    assertThat(generation === 2, `The response has generation ${generation}.`);
    const source = await watch.complete(id, 2);
    assertThat(source.resultGeneration === 2, `Its result is of generation ${source.resultGeneration}.`);
    const compositionId = required(composition, 'The COMPOSITION');
    await watch.waitFor('the composition is stale', compositionId, ({ stale }) => stale, 2000);
  });
  await expectations.check('A run is canceled during its fetch, and its request is aborted within 2 s', async () => {
    const id = await create({ type: 'URI', name: 'A page that never responds', data: site.hangingUrl });
    await watch.waitFor('it is PROCESSING', id, ({ status }) => status === 'PROCESSING');
    await until('its page is requested', () => site.hanging.arrivedAt ?? undefined, POSTBACK_TIMEOUT_MS);
    screen.say('Canceling it during the fetch.');
    const canceledAt = Date.now();
    const { status } = await api.sources.cancel.mutate({ sourceId: id });
    assertThat(status === 'CANCELED', `The response has status ${status}.`);
    const abortedAt = await until(
      'the request is aborted',
      () => site.hanging.abortedAt ?? undefined,
      CANCEL_TIMEOUT_MS,
    );
    assertThat(abortedAt >= canceledAt, 'The request had ended before the cancel.');
    await watch.refresh();
    await watch.waitFor('it is CANCELED', id, ({ status }) => status === 'CANCELED', 0);
  });
}

function printRunLinks(screen: Screen, sources: readonly Source[], { temporalUiUrl, keep }: ScenarioSettings): void {
  if (temporalUiUrl === undefined) return;
  screen.say(`\nThe runs in the Temporal UI${keep ? '' : ' (`npm run demo -- --keep` keeps it running)'}:`);
  const width = Math.max(...sources.map(({ name }) => name.length));
  for (const { name, id } of sources) {
    screen.say(`  ${name.padEnd(width)}  ${temporalUiUrl}/namespaces/default/workflows/source-${id}`);
  }
}

async function run(settings: ScenarioSettings): Promise<boolean> {
  const screen = new Screen();
  const expectations = new Expectations();
  const api = createClient({ url: settings.apiUrl, apiKey: settings.key, waitWhenLimited: MAX_WAIT_SECONDS });
  const site = await startSite(settings.port);
  const space = await api.spaces.create.mutate({ name: 'Demo', description: 'Sources of npm run demo' });
  const watch = new Watch(api, space.id, screen);
  await runScenario({ api, site, screen, expectations }, space.id, watch);
  await watch.stop();
  await watch.refresh();
  screen.finish();
  printRunLinks(screen, watch.sources, settings);
  screen.say('\nExpectations:');
  for (const line of expectations.lines()) screen.say(line);
  screen.say('');
  return expectations.allPassed;
}

// Ctrl-C in a terminal reaches this process too; its parent decides when it ends.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', (message) => {
  const settings = scenarioSettingsSchema.parse(message);
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
