import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret as KubernetesSecret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { CORE_SETTINGS } from '../src/platform/config/core.settings.js';
import { Settings } from '../src/platform/config/settings.js';

const FOLDER = 'deploy/kubernetes';
const KUSTOMIZATION = 'kustomization.yaml';
/** The official schemas of the kinds that are used. */
const KINDS = {
  ConfigMap,
  Deployment,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret: KubernetesSecret,
  Service,
};
const READY_TURNS_503_MS = 500;
const DRAIN_SECONDS = 25;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const read = (file: string): unknown[] =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as unknown;
  });

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml') && file !== KUSTOMIZATION);
const manifests = files.flatMap((file) => read(file).map((manifest) => ({ file, manifest: manifest as Manifest })));

/** Throws where the official schema of its kind refuses a manifest. */
function validate(manifest: Manifest): void {
  const Kind = KINDS[manifest.kind as keyof typeof KINDS] as unknown as new (data: unknown) => { validate(): void };
  new Kind(manifest).validate();
}

/** What is looked at, by kind. */
interface Kinds {
  readonly ConfigMap: { readonly data: Record<string, string> };
  readonly Secret: { readonly stringData: Record<string, string> };
  readonly Deployment: Deployment & Manifest;
  readonly NetworkPolicy: NetworkPolicy;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly Service: Service;
}

/** The one manifest of a kind; of a name where there are several. */
function the<K extends keyof Kinds>(kind: K, name = 'trading-proxy'): Kinds[K] {
  const found = manifests.filter(({ manifest }) => manifest.kind === kind && manifest.metadata.name === name);
  expect(found).toHaveLength(1);
  return found[0]?.manifest as unknown as Kinds[K];
}

const config = the('ConfigMap').data;
const secret = the('Secret').stringData;
const deployment = the('Deployment').spec;
const pod = deployment?.template.spec;
const container = pod?.containers[0];
const labels = { 'app.kubernetes.io/name': 'trading-proxy' };

describe('deploy/kubernetes', () => {
  it.each(
    manifests.map(({ file, manifest }) => [`${file}: ${manifest.kind} ${manifest.metadata.name}`, manifest] as const),
  )('%s is as the official schema demands', (_, manifest) => {
    expect(() => {
      validate(manifest);
    }).not.toThrow();
  });

  it('the schema refuses what Kubernetes would: the check above can fail', () => {
    const broken = structuredClone<Manifest & { spec?: object }>(the('Deployment'));
    broken.spec = { ...broken.spec, replicas: 'two' };
    expect(() => {
      validate(broken);
    }).toThrow();
  });

  it('applies every file but the example of the secret, which holds no value', () => {
    const [kustomization] = read(KUSTOMIZATION) as { resources: string[]; images: { name: string }[] }[];
    expect([...(kustomization?.resources ?? [])].sort()).toEqual(
      files.filter((file) => file !== 'secret.example.yaml').sort(),
    );
    expect(kustomization?.images.map(({ name }) => name)).toEqual([container?.image]);
    expect(new Set(Object.values(secret))).toEqual(new Set(['']));
  });

  it('names settings that the service knows, and no secret among those that are none', () => {
    const known = Object.keys({ ...CORE_SETTINGS, ...EXCHANGE_SETTINGS });
    expect(known).toEqual(expect.arrayContaining([...Object.keys(config), ...Object.keys(secret)]));
    expect(Object.keys(config).filter((name) => name in secret)).toEqual([]);
  });

  it('R-1 starts in production with these settings and files, and without one of the files it does not', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-secrets-'));
    const random = (): string => randomBytes(32).toString('base64');
    const values: Record<string, string> = {
      JWT_SECRET: random(),
      ENCRYPTION_KEYS: `k1:${random()}`,
      PASSWORD_PEPPER: random(),
      DATABASE_URL: 'postgresql://user:password@db.example.com:5432/name?sslmode=verify-full',
      REDIS_URL: 'rediss://:password@redis.example.com:6379',
      SMTP_URL: 'smtps://user:password@mail.example.com',
      // Empty where nobody signs in by that provider.
      GOOGLE_CLIENT_SECRET: '',
      GITHUB_CLIENT_SECRET: '',
    };
    for (const [name, value] of Object.entries(values)) writeFileSync(join(folder, name), `${value}\n`);
    const mounted = container?.volumeMounts?.find(({ name }) => name === 'secrets')?.mountPath ?? '';
    const env = Object.fromEntries(
      (container?.env ?? []).map(({ name, value = '' }) => [name, value.replace(mounted, folder)]),
    );
    expect(Object.keys(env).sort()).toEqual(
      Object.keys(secret)
        .map((name) => `${name}_FILE`)
        .sort(),
    );
    const settings = Settings.read({ ...config, ...env }, EXCHANGE_SETTINGS);
    expect([settings.port, settings.metricsPort, settings.host]).toEqual([3000, 9464, '0.0.0.0']);
    expect([settings.google, settings.github]).toEqual([undefined, undefined]);
    for (const name of Object.keys(values).filter((each) => !/^REDIS_URL$|CLIENT_SECRET$/.test(each))) {
      expect(() => Settings.read({ ...config, ...env, [`${name}_FILE`]: '' }, EXCHANGE_SETTINGS)).toThrow(name);
    }
    rmSync(folder, { recursive: true });
  });

  it('S-41 the owner of the schema is known to the container that migrates alone, which holds no other secret', () => {
    const [migrate, ...others] = pod?.initContainers ?? [];
    expect(others).toEqual([]);
    expect(migrate).toMatchObject({ image: container?.image, securityContext: container?.securityContext });
    expect(migrate?.command).toEqual(['node', 'dist/scripts/migrate.js']);
    const mounts = (one: typeof container): unknown[] => (one?.volumeMounts ?? []).map(({ name }) => name).sort();
    expect([mounts(migrate), mounts(container)]).toEqual([
      ['database', 'owner', 'tmp'],
      ['secrets', 'tmp'],
    ]);
    const volumes = new Map(pod?.volumes?.map(({ name, secret: from }) => [name, from]));
    expect(volumes.get('owner')?.secretName).toBe('trading-proxy-owner');
    expect(volumes.get('secrets')?.secretName).toBe('trading-proxy');
    expect(volumes.get('database')?.items?.map(({ key }) => key)).toEqual(['DATABASE_URL']);
    expect(Object.keys(secret)).not.toContain('MIGRATION_DATABASE_URL');
    expect(the('Secret', 'trading-proxy-owner').stringData).toEqual({ MIGRATION_DATABASE_URL: '' });
    expect(Object.keys(CORE_SETTINGS)).toContain('MIGRATION_DATABASE_URL');
  });

  it('ports agree from the setting to the service and the network policy', () => {
    const ports = new Map(container?.ports?.map(({ name, containerPort }) => [name, containerPort]));
    expect([ports.get('http'), ports.get('metrics')]).toEqual([Number(config.PORT), Number(config.METRICS_PORT)]);
    const targets = ['trading-proxy', 'trading-proxy-metrics'].map(
      (name) => the('Service', name).spec?.ports?.[0]?.targetPort,
    );
    expect(targets).toEqual(['http', 'metrics']);
    const { ingress } = the('NetworkPolicy').spec ?? {};
    expect(ingress?.map((rule) => rule.ports?.map(({ port }) => port))).toEqual([['http'], ['metrics']]);
    expect(ingress?.every((rule) => (rule.from ?? []).length > 0)).toBe(true);
  });

  it('everything selects the same pods', () => {
    const selectors = [
      deployment?.selector.matchLabels,
      deployment?.template.metadata?.labels,
      the('PodDisruptionBudget').spec?.selector?.matchLabels,
      the('NetworkPolicy').spec?.podSelector.matchLabels,
      ...['trading-proxy', 'trading-proxy-metrics'].map((name) => the('Service', name).spec?.selector),
    ];
    expect(selectors).toEqual(selectors.map(() => labels));
  });

  it('the pod can change nothing of itself and gain no right', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(config.DATA_DIR?.startsWith('/tmp/')).toBe(true);
    expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/tmp');
  });

  it('R-4, R-9 versions change without a gap: a new pod is ready before an old one ends, which has time to drain', () => {
    expect(deployment?.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(deployment?.replicas).toBeGreaterThanOrEqual(2);
    const stop = container?.lifecycle?.preStop?.exec?.command ?? [];
    expect(stop[0]).toBe('sleep');
    const pause = Number(stop[1]);
    const { periodSeconds = 0, failureThreshold = 0 } = container?.readinessProbe ?? {};
    expect(pause * 1_000).toBeGreaterThan(periodSeconds * failureThreshold * 1_000 + READY_TURNS_503_MS);
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Math.max(30, pause + DRAIN_SECONDS + 5));
  });

  it('R-3 asks live whether to start anew and ready whether to send traffic; a long migration is no failed start', () => {
    const paths = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe].map(
      (probe) => probe?.httpGet?.path,
    );
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
    const { periodSeconds = 0, failureThreshold = 0 } = container?.startupProbe ?? {};
    expect(periodSeconds * failureThreshold).toBeGreaterThan(600);
    expect(deployment?.progressDeadlineSeconds).toBeGreaterThan(periodSeconds * failureThreshold);
  });

  it('S-48 reaches the internet by TLS and mail ports, and no metadata service or other pod there', () => {
    const egress = the('NetworkPolicy').spec?.egress ?? [];
    const open = egress.filter((rule) => rule.to?.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'));
    expect(open).toHaveLength(1);
    expect(open[0]?.ports?.map(({ port }) => port)).toEqual([443, 465, 587]);
    const except = open[0]?.to?.flatMap(({ ipBlock }) => ipBlock?.except ?? []);
    expect(except).toEqual(expect.arrayContaining(['169.254.0.0/16', '10.0.0.0/8', 'fe80::/10']));
    expect(egress.every((rule) => (rule.to ?? []).length > 0 && (rule.ports ?? []).length > 0)).toBe(true);
  });
});
