/** The benchmarks that `bench/all.ts` runs, in the order in which docs/performance.md describes them. */
import { readFileSync } from 'node:fs';
import type { Figure, Results } from './report.ts';

export interface Part {
  readonly name: string;
  readonly title: string;
  /** The file in `bench/`. */
  readonly script: string;
  readonly args: readonly string[];
  readonly description: string;
  /** The time after which the benchmark is stopped. */
  readonly timeoutSeconds: number;
  /** The figures that the README shows. The text replaces the figure's name. */
  readonly readme?: readonly { readonly figure: string; readonly text?: string }[];
}

export const parts: readonly Part[] = [
  {
    name: 'start',
    title: 'Start',
    script: 'start.ts',
    args: [],
    description:
      'The time from `npm start` to the first REST response, with a project that has one migration. The first start uses an empty data folder, and the later start uses the same folder again. The memory is measured ten seconds after the start.',
    timeoutSeconds: 240,
    readme: [
      {
        figure: 'First start: time until the first response',
        text: 'From `npm start` to the first REST response, first start of a project',
      },
      {
        figure: 'Later start: time until the first response',
        text: 'From `npm start` to the first REST response, later starts',
      },
      { figure: 'Idle memory of all processes (PSS)' },
    ],
  },
  {
    name: 'first-success',
    title: 'First success of a new user',
    script: 'first-success.ts',
    args: [],
    description:
      'The dependencies are already installed, and the data folder is empty. The browser is Chromium.',
    timeoutSeconds: 180,
    readme: [
      {
        figure:
          'From `npm start -- --example` until a new user has signed up, written a note and marked it as done in a browser',
      },
    ],
  },
  {
    name: 'rest-peers',
    title: 'REST requests',
    script: 'rest-peers.ts',
    args: ['--rounds', '3', '--seconds', '1'],
    description:
      'The CPU time of the server and PostgreSQL per request, with row-level security and 32 connections. All servers use the same PostgreSQL server, rows and tokens, and are measured in turns. Fastify + pg is a handwritten server that runs each request in a transaction of four round trips. The bare statement is the CPU time that PostgreSQL needs for the same statement in a transaction, without a server.',
    timeoutSeconds: 480,
    readme: [
      { figure: 'Read by id', text: 'CPU time of a read by ID, with row-level security' },
      { figure: 'Insert', text: 'CPU time of an insert, with row-level security' },
    ],
  },
  {
    name: 'path',
    title: 'Database requests',
    script: 'path.ts',
    args: [],
    description:
      'The CPU time of Node and PostgreSQL for the same statement, role and claims, without HTTP. The `pg` package sends them in four round trips, and Plinth sends them in one write.',
    timeoutSeconds: 120,
  },
  {
    name: 'requests',
    title: 'Auth requests',
    script: 'requests.ts',
    args: ['--rounds', '3', '--seconds', '1'],
    description:
      "The CPU time of the server and PostgreSQL per request, with 32 connections (16 for refreshes). GoTrue uses the same database, users and tokens. Its requests don't pass through a gateway.",
    timeoutSeconds: 420,
    readme: [
      { figure: 'Own account', text: "CPU time of a request for the user's own account" },
      { figure: 'Session refresh', text: 'CPU time of a session refresh' },
    ],
  },
  {
    name: 'auth',
    title: 'Logins',
    script: 'auth.ts',
    args: ['--rounds', '1'],
    description: 'The CPU time of the server and PostgreSQL.',
    timeoutSeconds: 120,
  },
  {
    name: 'storage-peers',
    title: 'Files',
    script: 'storage-peers.ts',
    args: ['--rounds', '3', '--seconds', '1', '--connections', '32'],
    description:
      'The CPU time per request, including PostgreSQL for Plinth. PocketBase contains its database. `token` requests read private files: Plinth checks them with row-level security, and PocketBase with API rules.',
    timeoutSeconds: 300,
    readme: [
      { figure: '32 connections: public 100k', text: 'CPU time of a download of a public file of 100 KiB' },
      { figure: '32 connections: upload 100k', text: 'CPU time of an upload of 100 KiB' },
    ],
  },
  {
    name: 'realtime',
    title: 'Realtime',
    script: 'realtime-changes.ts',
    args: ['--seconds', '5'],
    description:
      'Database changes for 500 users who can see only their own rows, changes that all of them receive, broadcasts, and idle sockets.',
    timeoutSeconds: 240,
    readme: [
      { figure: '500 recipients per change: deliveries', text: 'Database changes that 500 users receive' },
      { figure: '2000 idle sockets: memory per socket', text: 'Memory of an idle realtime socket' },
    ],
  },
  {
    name: 'functions',
    title: 'Functions',
    script: 'functions.ts',
    args: ['--cold', '10', '--warm', '1000'],
    description: 'The first call starts the process of a function. The modules are already in the cache.',
    timeoutSeconds: 180,
    readme: [{ figure: 'First call of a function: median' }],
  },
  {
    name: 'workers',
    title: 'API workers',
    script: 'workers.ts',
    args: ['--seconds', '5', '--requests', '5000'],
    description:
      "`plinth serve` with one process and with two API workers. The clients run on the same machine, so two workers can't double the rate on two cores.",
    timeoutSeconds: 180,
  },
  {
    name: 'vector',
    title: 'Vector search',
    script: 'vector.ts',
    args: [],
    description:
      "The function `match_documents` of upstream's guides, as a signed-in user under row-level security, with 100,000 rows of 384 dimensions and the settings of `plinth serve`. `supabase-js` is the time of the stock client's request, and SQL is the time of the same statement without HTTP. The documents belong to 200 groups, and 90% of them can be read by all users. Recall is the share of the 10 nearest documents that the search finds.",
    timeoutSeconds: 900,
    readme: [
      {
        figure: 'HNSW index, supabase-js: 95% within',
        text: 'Vector search among 100,000 rows with an HNSW index',
      },
    ],
  },
  {
    name: 'overload',
    title: 'Overload',
    script: 'overload.ts',
    args: ['--seconds', '8'],
    description:
      "Response times while more requests arrive than the machine can process. A time ends when the server has written the response, so delays of the load generator aren't included. The load generator and PostgreSQL use the same cores as the server. The CPU time is the time that the server's main thread needs between the arrival of a request and its rejection.",
    timeoutSeconds: 240,
    readme: [
      {
        figure: '2000 open connections: longest successful response',
        text: 'Longest successful response while 2,000 connections read continuously',
      },
      {
        figure: '2000 open connections that read 1,000 rows each: 95% of the rejections within',
        text: 'Rejections while 2,000 connections read 1,000 rows each: 95% within',
      },
    ],
  },
  {
    name: 'organizations',
    title: 'Policies for organizations',
    script: 'organizations.ts',
    args: [],
    description:
      'The time until a user who belongs to three of 10,000 organizations has read their 300 rows in a table with 1,000,000 rows, for policies that are written in different ways.',
    timeoutSeconds: 600,
  },
];

/** The machine and the versions with which a part was measured. */
export interface Environment {
  /** The day of the measurement (UTC). */
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly plinth: string;
  readonly postgres: string;
  /** The load average before the measurement. A value far above 0 means that other programs used the machine. */
  readonly loadAverage: number;
}

export interface PartResults extends Results {
  readonly environment: Environment;
}

/** The results by the names of the parts. */
export type AllResults = Readonly<Record<string, PartResults>>;

export const resultsFile = new URL('results.json', import.meta.url);

export function readResults(): AllResults {
  try {
    return JSON.parse(readFileSync(resultsFile, 'utf8')) as AllResults;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

export const findFigure = (results: AllResults, part: string, name: string): Figure | undefined =>
  results[part]?.figures.find((figure) => figure.name === name);
