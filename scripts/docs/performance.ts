/**
 * Generates docs/performance.md, its pictures and the tables in the README and docs/scale.md from the results that `bench/all.ts` has
 * stored, so that the documents can be generated and checked without running a benchmark.
 */
import { readFileSync } from 'node:fs';
import {
  type AllResults,
  type Environment,
  findFigure,
  type Part,
  type PartResults,
  parts,
} from '../../bench/parts.ts';
import type { Figure, PeerValue, Unit } from '../../bench/report.ts';
import { costsFrom } from '../../bench/scale/costs.ts';
import { defaultSizes, exampleLoads } from '../../bench/scale/examples.ts';
import { answer } from '../../bench/scale/model.ts';
import { answerHead, answerRow } from '../../bench/scale/text.ts';
import { type Bar, type BarGroup, barChart, type Scheme } from './bar-chart.ts';
import { code, fillBlocks, table } from './markdown.ts';

const root = new URL('../../', import.meta.url);
const schemes: readonly Scheme[] = ['light', 'dark'];

/** Returns the current text of each generated document by the document's path in the repository. */
export function performanceDocuments(results: AllResults): ReadonlyMap<string, string> {
  const measured = parts.flatMap((part) => {
    const own = results[part.name];
    return own === undefined ? [] : [{ part, own }];
  });
  const documents = new Map([
    ['docs/performance.md', performancePage(measured)],
    [
      'README.md',
      fillBlocks(readFileSync(new URL('README.md', root), 'utf8'), { performance: readmeBlock(results) }),
    ],
    [
      'docs/scale.md',
      fillBlocks(readFileSync(new URL('docs/scale.md', root), 'utf8'), { loads: loadsBlock(results) }),
    ],
  ]);
  for (const { part, own } of measured) {
    const groups = groupsOf(own);
    if (groups.length === 0) continue;
    for (const scheme of schemes)
      documents.set(`docs/${pictureOf(part, scheme)}`, barChart(part.title, groups, scheme));
  }
  return documents;
}

/** The model's answers for the example loads. */
function loadsBlock(results: AllResults): string {
  const costs = costsFrom(results);
  return table(
    answerHead,
    exampleLoads.map(({ name, load }) => answerRow(name, load, answer(load, costs, defaultSizes))),
  );
}

interface Measured {
  readonly part: Part;
  readonly own: PartResults;
}

const intro = `# Performance

This page shows what was measured, how to repeat each measurement, and what Plinth is compared with. The figures come from
\`npm run bench:all\`, which stores them in \`bench/results.json\`. \`npm run bench:all -- --only start\` repeats one
section. The page is generated from that file by \`node scripts/docs/generate.ts\`.

- All programs of a measurement run on one machine: the load generator, the servers and PostgreSQL.
- CPU time is the time for which the processes have used a CPU core. It depends less on other programs than elapsed time
  does.
- Servers that are compared are measured in turns in the same run. The ratio between two servers is more reliable than
  the figures themselves. A ratio above 1 means that the other server needs that many times as much as Plinth.
- A limit is the figure that Plinth should reach. A figure that misses its limit is marked.
- The load average shows whether other programs used the machine before the measurement began. If it is far above 0, use
  only the ratios.`;

function performancePage(measured: readonly Measured[]): string {
  const sections = measured.map(({ part, own }) => sectionOf(part, own));
  return `${[intro, ...sections].join('\n\n')}\n`;
}

function sectionOf(part: Part, own: PartResults): string {
  const { command, environment, versions, absent, isComplete, figures } = own;
  const paragraphs = [`## ${part.title}`, part.description];
  if (groupsOf(own).length > 0)
    paragraphs.push(
      [
        '<picture>',
        `  <source media="(prefers-color-scheme: dark)" srcset="${pictureOf(part, 'dark')}">`,
        `  <img alt="Bar chart of the table below" src="${pictureOf(part, 'light')}">`,
        '</picture>',
      ].join('\n'),
    );
  paragraphs.push(figuresTable(figures));
  const compared = Object.entries(versions).map(([peer, version]) => `${peer} ${version}`);
  const missing = Object.entries(absent).map(([peer, reason]) => `${peer} (${reason})`);
  const { date, cpu, cores, memoryGiB, system, node, plinth, postgres, loadAverage } = environment;
  const facts = [
    `- Command: ${code(command)}`,
    ...(compared.length > 0 ? [`- Compared with: ${compared.join(', ')}`] : []),
    ...(missing.length > 0 ? [`- Not measured: ${missing.join(', ')}`] : []),
    `- Measured on ${date} with Plinth ${plinth}, Node.js ${node} and PostgreSQL ${postgres}, on ${cores} cores (${cpu}), ${memoryGiB} GiB of memory, ${system}, load average ${loadAverage}`,
    ...(isComplete ? [] : ['- The benchmark failed before it had measured everything.']),
  ];
  paragraphs.push(facts.join('\n'));
  return paragraphs.join('\n\n');
}

function figuresTable(figures: readonly Figure[]): string {
  const peers = [...new Set(figures.flatMap((figure) => figure.peers?.map(({ peer }) => peer) ?? []))];
  const hasLimits = figures.some(({ limit }) => limit !== undefined);
  const head = ['Measurement', 'Plinth', ...peers, ...(hasLimits ? ['Limit'] : [])];
  const rows = figures.map((figure) => [
    figure.name,
    amount(figure.value, figure.unit),
    ...peers.map((peer) => comparison(figure, peer)),
    ...(hasLimits ? [limitText(figure)] : []),
  ]);
  return table(head, rows);
}

function comparison(figure: Figure, peer: string): string {
  const found = figure.peers?.find((one) => one.peer === peer);
  return found === undefined ? '' : `${amount(found.value, figure.unit)} (${ratio(figure, found)})`;
}

const ratio = ({ value }: Figure, peer: PeerValue): string => `× ${(peer.value / value).toFixed(1)}`;

function limitText({ limit, value, unit }: Figure): string {
  if (limit === undefined) return '';
  const isMost = 'most' in limit;
  const bound = isMost ? limit.most : limit.least;
  const text = `${isMost ? 'at most' : 'at least'} ${amount(bound, unit)}`;
  // A difference that the table doesn't show isn't reported.
  const isMissed = (isMost ? value > bound : value < bound) && amount(value, unit) !== amount(bound, unit);
  return isMissed ? `${text} (missed)` : text;
}

/** Formats a number with three significant digits, or without decimals if it is larger. */
function amount(value: number, unit: Unit): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: digits });
  if (unit === '/s') return `${text}/s`;
  return unit === '%' ? `${text}%` : `${text} ${unit}`;
}

const pictureOf = ({ name }: Part, scheme: Scheme): string => `performance/${name}-${scheme}.svg`;

/** Returns the groups of bars of a part: one group per figure that other servers also have, or that has a limit. */
function groupsOf({ figures }: PartResults): BarGroup[] {
  return figures.flatMap((figure) => {
    const { name, unit, value, limit, peers = [] } = figure;
    if (peers.length === 0) return limit === undefined ? [] : [limitGroup(figure, limit)];
    const most = Math.max(value, ...peers.map((peer) => peer.value));
    const bars: Bar[] = [
      { label: 'Plinth', share: value / most, text: amount(value, unit), isOwn: true },
      ...peers.map((peer) => ({
        label: peer.peer,
        share: peer.value / most,
        text: `${amount(peer.value, unit)} (${ratio(figure, peer)})`,
        isOwn: false,
      })),
    ];
    return [{ title: name, bars }];
  });
}

function limitGroup({ name, unit, value }: Figure, limit: NonNullable<Figure['limit']>): BarGroup {
  const [label, bound] = 'most' in limit ? ['Limit: at most', limit.most] : ['Limit: at least', limit.least];
  const most = Math.max(value, bound) || 1;
  return {
    title: name,
    bars: [
      { label: 'Plinth', share: value / most, text: amount(value, unit), isOwn: true },
      { label, share: bound / most, text: amount(bound, unit), isOwn: false },
    ],
  };
}

/** Describes the machines of the measurements, and whether other programs used them. */
function environmentLines(environments: readonly Environment[]): string[] {
  const machines = new Set(environments.map(({ cores, cpu, system }) => `${system}, ${cores} cores, ${cpu}`));
  const dates = [...new Set(environments.map(({ date }) => date))].sort();
  if (dates.length === 0) return [];
  const days = dates.length === 1 ? dates[0] : `${dates[0]} to ${dates.at(-1)}`;
  const isShared = environments.some(({ loadAverage, cores }) => loadAverage > cores / 2);
  return [
    `Machine: ${[...machines].join('; ')} (${days}).`,
    ...(isShared ? ['Other programs used the machine, so only the ratios are reliable.'] : []),
  ];
}

/** Returns the README's table. Each row names the script that measured it. */
function readmeBlock(results: AllResults): string {
  const rows = parts.flatMap(({ name, script, readme = [] }) =>
    readme.flatMap(({ figure: figureName, text }) => {
      const figure = findFigure(results, name, figureName);
      if (figure === undefined) return [];
      const peers = figure.peers?.map(
        (peer) => `${peer.peer}: ${amount(peer.value, figure.unit)} (${ratio(figure, peer)})`,
      );
      return [
        [
          text ?? figure.name,
          amount(figure.value, figure.unit),
          peers?.join('; ') ?? '',
          code(`bench/${script}`),
        ],
      ];
    }),
  );
  const shown = parts.flatMap(({ name, readme }) => (readme === undefined ? [] : (results[name] ?? [])));
  return [
    table(['Measurement', 'Plinth', 'Other servers in the same run', 'Script'], rows),
    '',
    ...environmentLines(shown.map(({ environment }) => environment)),
  ].join('\n');
}
