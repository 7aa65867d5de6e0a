/** Defines which modules each module can import, and which of their files. CONTRIBUTING.md describes the modules. */
import type { Graph, Import } from './graph.ts';

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const services = [
  'account',
  'auth',
  'console',
  'functions',
  'jobs',
  'mail',
  'project',
  'realtime',
  'rest',
  'storage',
];

/**
 * The layers from top to bottom. A module can import modules in the layers below its own layer. `main` is the name for
 * the files directly in src/.
 */
const layers: readonly (readonly string[])[] = [
  ['npm'],
  ['cli'],
  ['main', 'rest-server'],
  ['backend'],
  ['gateway'],
  services,
  ['advisors', 'diff', 'migrate', 'upgrade'],
  ['backup', 'cluster', 'dump', 'tls'],
  ['database', 'telemetry'],
  ['keys'],
  ['config', 'packages'],
  ['shared'],
  ['kernel'],
];
const order =
  'npm, cli, main, backend, gateway, services, advisors, diff, migrate and upgrade, backup, cluster, dump and tls, database, keys, config and packages, shared, kernel';

/** The modules that don't have an entry file. Other modules can import all files of these modules. */
const open = new Set(['shared', 'kernel', 'main', 'backend']);

const depthOf = new Map(layers.flatMap((modules, depth) => modules.map((name) => [name, depth] as const)));

export function ruleViolations(graph: Graph): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [file, imports] of graph) {
    // A test can import any file of the module that it tests.
    if (/\.test\.tsx?$/.test(file)) continue;
    for (const one of imports) {
      const message = faultOf(file, one);
      if (message !== undefined) violations.push({ file, line: one.line, message });
    }
  }
  return violations;
}

function faultOf(file: string, one: Import): string | undefined {
  return authFault(file, one) ?? moduleFault(file, one);
}

/**
 * Checks the layers inside auth. Routes call operations or use cases, operations call use cases, and use cases call
 * queries. Decision 40 explains these rules.
 */
function authFault(file: string, { target, typeOnly }: Import): string | undefined {
  const isUseCase = /^src\/auth\/(flows|operations|self-service)\//.test(file);
  if (isUseCase && /^src\/auth\/(http|routes)\//.test(target)) {
    return 'A use case must not depend on HTTP. Let the route pass the caller and the input (src/auth/caller.ts).';
  }
  if (file.startsWith('src/auth/flows/') && target.startsWith('src/auth/operations/')) {
    return 'An operation calls use cases, not the reverse. Move shared code to src/auth/core/.';
  }
  const isRoute = file.startsWith('src/auth/routes/');
  if (isRoute && !typeOnly && target.startsWith('src/auth/queries/')) {
    return 'A route must not run SQL. Call a use case in src/auth/flows/.';
  }
  return undefined;
}

function moduleFault(file: string, { target, typeOnly }: Import): string | undefined {
  const to = moduleOf(target);
  if (file.startsWith('web/')) return to === undefined ? undefined : webFault(target, typeOnly);
  const from = moduleOf(file);
  if (from === undefined || from === to) return undefined;
  if (to === undefined) return `Server code imports only files below src/, not ${target}.`;
  return directionFault(from, to, typeOnly) ?? entryFault(file, target, to);
}

function webFault(target: string, typeOnly: boolean): string | undefined {
  if (!typeOnly) {
    return "The web app imports only types from src/: write `import type`. Request data from the server's API.";
  }
  if (isContract(target) || isEntry(target)) return undefined;
  return "The web app imports types only from a contract.ts of src/console/ or from a module's index.ts or types.ts.";
}

function directionFault(from: string, to: string, typeOnly: boolean): string | undefined {
  const [fromDepth, toDepth] = [depthOf.get(from), depthOf.get(to)];
  if (fromDepth === undefined || toDepth === undefined) {
    const unknown = fromDepth === undefined ? from : to;
    return `src/${unknown}/ isn't in a layer. Add it to scripts/lint/imports/rules.ts and to CONTRIBUTING.md.`;
  }
  if (from === 'kernel') {
    return 'The kernel imports no other module. Pass the value in, or move the code up to src/shared/.';
  }
  if (from === 'gateway' && services.includes(to)) {
    return 'The gateway uses services only through the interface `Service` (kernel/service.ts). Extend that interface, or let main.ts pass the function in.';
  }
  if (from === 'cli' && to !== 'project' && (services.includes(to) || to === 'gateway')) {
    return `Commands use services only through main.ts. Add what you need from ${to} to the server that main.ts returns.`;
  }
  if (services.includes(from) && services.includes(to)) {
    if (typeOnly) return undefined;
    return 'A service imports other services as types only. Let main.ts pass the function in, or move a pure helper to src/shared/.';
  }
  if (fromDepth < toDepth) return undefined;
  return `Imports point down (${order}), so ${from} can't import ${to}. Pass the value in, or move the shared code to a lower layer.`;
}

function entryFault(file: string, target: string, to: string): string | undefined {
  if (open.has(to) || isEntry(target)) return undefined;
  if (target === 'src/database/testing.ts' && file === 'src/testing.ts') return undefined;
  return `Only index.ts and types.ts of another module may be imported. Export it from src/${to}/index.ts, or move a pure helper to src/shared/.`;
}

const isContract = (path: string): boolean => /^src\/console\/(.+\/)?contract\.ts$/.test(path);

const isEntry = (path: string): boolean => /^src\/[^/]+\/(index|types)\.ts$/.test(path);

function moduleOf(path: string): string | undefined {
  const [top, name, inner] = path.split('/');
  if (top !== 'src' || name === undefined) return undefined;
  return inner === undefined ? 'main' : name;
}
