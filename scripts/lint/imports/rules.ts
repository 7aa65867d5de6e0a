/** Defines which modules each module can import, and which of their files. CONTRIBUTING.md describes the modules. */
import type { Graph, Import } from './graph.ts';

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/**
 * The floors from top to bottom, and the layers of each floor. A module can import modules in the layers below its own
 * layer, on its floor and on the floors below. `main` is the name for the files directly in src/entry/.
 */
export const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  entry: [['npm'], ['cli'], ['main', 'rest-server']],
  server: [['backend'], ['gateway'], ['cluster', 'tls']],
  pages: [['account', 'console']],
  services: [['auth', 'functions', 'graphql', 'jobs', 'mail', 'realtime', 'rest', 'storage']],
  project: [['baseline'], ['folder'], ['advisors', 'diff', 'migrate', 'types-file']],
  operations: [['upgrade'], ['backup', 'branches', 'dump']],
  platform: [['group'], ['database', 'telemetry'], ['keys', 'packs'], ['config', 'packages']],
  base: [['shared'], ['kernel']],
};
const order = Object.keys(floors).join(', ');

/** The modules that import each other only as types, so that the server passes them what they need. */
const siblings = [...(floors.pages ?? []), ...(floors.services ?? [])].flat();

/** The modules that don't have an entry file. Other modules can import all files of these modules. */
const open = new Set(['shared', 'kernel', 'main', 'backend']);

const depthOf = new Map(
  Object.values(floors)
    .flat()
    .flatMap((modules, depth) => modules.map((name) => [name, depth] as const)),
);
const floorOf = new Map(
  Object.entries(floors).flatMap(([floor, layers]) => layers.flat().map((name) => [name, floor] as const)),
);

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
 * Checks the layers inside each feature of auth. Routes call use cases, and use cases call queries. Decision 40 explains
 * these rules.
 */
function authFault(file: string, { target, typeOnly }: Import): string | undefined {
  const isHttp = (path: string) => /^src\/services\/auth\/(http\/|[\w-]+\/([\w-]+-)?routes\.ts$)/.test(path);
  const isFeature =
    /^src\/services\/auth\/[\w-]+\//.test(file) && !file.startsWith('src/services/auth/self-service/');
  if (isFeature && !isHttp(file) && isHttp(target)) {
    return 'A use case must not depend on HTTP. Let the route pass the caller and the input (src/services/auth/common/caller.ts).';
  }
  const isQueries = /^src\/services\/auth\/[\w-]+\/([\w-]+-)?queries\.ts$/.test(target);
  if (isHttp(file) && !typeOnly && isQueries) {
    return 'A route must not run SQL. Call a use case of the feature.';
  }
  if (file.startsWith('src/services/auth/common/') && target.startsWith('src/services/auth/') && !typeOnly) {
    const isShared = /^src\/services\/auth\/(common\/|[\w-]+\.ts$)/.test(target);
    if (!isShared)
      return 'The code that all features of auth share imports no feature. Move the code to the feature.';
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
  return "The web app imports types only from a contract.ts of src/pages/console/ or from a module's index.ts or types.ts.";
}

function directionFault(from: string, to: string, typeOnly: boolean): string | undefined {
  const [fromDepth, toDepth] = [depthOf.get(from), depthOf.get(to)];
  if (fromDepth === undefined || toDepth === undefined) {
    const unknown = fromDepth === undefined ? from : to;
    return `The module ${unknown} isn't on a floor. Add it to scripts/lint/imports/rules.ts and to CONTRIBUTING.md.`;
  }
  if (from === 'kernel') {
    return 'The kernel imports no other module. Pass the value in, or move the code up to src/base/shared/.';
  }
  const isSibling = siblings.includes(to);
  if (from === 'gateway' && isSibling) {
    return 'The gateway uses services only through the interface `Service` (kernel/service.ts). Extend that interface, or let main.ts pass the function in.';
  }
  if (from === 'cli' && (isSibling || to === 'gateway')) {
    return `Commands use services only through main.ts. Add what you need from ${to} to the server that main.ts returns.`;
  }
  if (siblings.includes(from) && isSibling) {
    if (typeOnly) return undefined;
    return 'A service imports other services as types only. Let main.ts pass the function in, or move a pure helper to src/base/shared/.';
  }
  if (fromDepth < toDepth) return undefined;
  return `Imports point down (${order}), so ${from} can't import ${to}. Pass the value in, or move the shared code to a lower floor.`;
}

function entryFault(file: string, target: string, to: string): string | undefined {
  if (open.has(to) || isEntry(target)) return undefined;
  if (target === 'src/platform/database/testing.ts' && file === 'src/entry/testing.ts') return undefined;
  return `Only index.ts and types.ts of another module may be imported. Export it from src/${floorOf.get(to)}/${to}/index.ts, or move a pure helper to src/base/shared/.`;
}

const isContract = (path: string): boolean => /^src\/pages\/console\/(.+\/)?contract\.ts$/.test(path);

const isEntry = (path: string): boolean => /^src\/[^/]+\/[^/]+\/(index|types)\.ts$/.test(path);

/** Returns the module of a file in src/. If the file isn't in a folder of its floor, returns the floor's own name. */
export function moduleOf(path: string): string | undefined {
  const [top, floor, name, inner] = path.split('/');
  if (top !== 'src' || floor === undefined) return undefined;
  if (name === undefined || inner === undefined) return floor === 'entry' ? 'main' : floor;
  return floorOf.get(name) === floor ? name : `${floor}/${name}`;
}
