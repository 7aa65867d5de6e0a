/** Draws the visible part of the diagram. */
import { ActionIcon } from '@mantine/core';
import { IconMaximize, IconMinus, IconPlus } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { areKeysOn } from '../../../components/keyboard/single-keys.ts';
import classes from './diagram.module.css';
import { bounds, edgeBox, edgeMarks, edgePath, type Point } from './geometry.ts';
import { idOf, labelOf } from './graph.ts';
import { nextTable } from './movement.ts';
import type { PlacedEdge, PlacedTable } from './place.ts';
import { TableNode } from './table-node.tsx';
import { detailOf, t } from './text.ts';
import { useView } from './use-view.ts';
import { buttonZoom, detailZoom, fitted, inside, opening, renderedPart, revealing, zoomed } from './view.ts';

/** The distance by which an arrow key with Shift moves a table. */
const stepPixels = 16;
const zoomStep = 1.25;

export interface CanvasProps {
  readonly tables: readonly PlacedTable[];
  readonly edges: readonly PlacedEdge[];
  /** The table whose neighborhood is shown. */
  readonly center: string | undefined;
  readonly onMove: (id: string, to: Point, isEnd: boolean) => void;
  readonly onOpenTable: (id: string) => void;
  readonly onOpenKey: (edge: PlacedEdge) => void;
}

export function Canvas({ tables, edges, center, onMove, onOpenTable, onOpenKey }: CanvasProps) {
  const root = useRef<HTMLDivElement>(null);
  const help = useId();
  const byId = useMemo(() => new Map(tables.map((table) => [table.id, table])), [tables]);
  const related = useMemo(() => relatedNames(edges), [edges]);
  const content = useMemo(() => bounds(tables.map(({ box }) => box)), [tables]);
  const first = tables.find(({ id }) => id === center) ?? mostRelated(tables, edges);
  const [focused, setFocused] = useState<string>();
  const current = focused !== undefined && byId.has(focused) ? focused : first?.id;
  // The table that receives the focus when it has been rendered.
  const [awaited, setAwaited] = useState<string>();
  const { view, size, setView, handlers } = useView(root, {
    tableAt(element) {
      const id = tableIdAt(element);
      const box = id === undefined ? undefined : byId.get(id)?.box;
      return id === undefined || box === undefined ? undefined : { id, from: box };
    },
    onDrag: onMove,
  });
  if (view === undefined && size !== undefined && size.width > 0 && first !== undefined)
    setView(opening(content, first.box, size));

  useEffect(() => {
    if (awaited === undefined) return;
    linkOf(root.current, awaited)?.focus({ preventScroll: true });
    setAwaited(undefined);
  }, [awaited]);

  const focus = useCallback((id: string) => setFocused(id), []);
  const zoomBy = (factor: number): void => {
    if (view !== undefined && size !== undefined)
      setView(zoomed(view, factor, { x: size.width / 2, y: size.height / 2 }));
  };
  const showAll = (): void => {
    if (size !== undefined) setView(fitted(content, size));
  };

  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (areKeysOn() && zoomKeys[event.key] !== undefined) {
      event.preventDefault();
      zoomBy(zoomKeys[event.key] ?? 1);
    } else if (areKeysOn() && event.key === '0') {
      event.preventDefault();
      showAll();
    } else walk(event);
  }

  function walk(event: KeyboardEvent): void {
    const table = current === undefined ? undefined : byId.get(current);
    const id = tableIdAt(event.target as Element);
    if (table === undefined || id !== table.id || view === undefined || size === undefined) return;
    if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      onOpenTable(id);
      return;
    }
    const step = event.shiftKey ? steps[event.key] : undefined;
    if (step !== undefined) {
      event.preventDefault();
      const to = { x: table.box.x + step.x, y: table.box.y + step.y };
      onMove(table.id, to, true);
      setView(revealing(view, { ...table.box, ...to }, size));
      return;
    }
    const next = nextTable(tables, edges, table.id, event.key);
    const target = next === undefined ? undefined : byId.get(next);
    if (target === undefined) return;
    event.preventDefault();
    setFocused(target.id);
    setAwaited(target.id);
    setView(revealing(view, target.box, size));
  }

  /** Opens the details of a table on a click outside its link. */
  function openAt({ target }: MouseEvent): void {
    const id = tableIdAt(target as Element);
    if (id !== undefined && (target as Element).closest('a, button') === null) onOpenTable(id);
  }

  const part = view === undefined || size === undefined ? undefined : renderedPart(view, size);
  // The current table is always rendered, because it is the one that Tab reaches.
  const rendered =
    part === undefined
      ? []
      : tables.filter(({ id, box }) => id === current || inside([box], part, (each) => each).length > 0);
  const isDetailed = view !== undefined && view.zoom >= detailZoom;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work on the tables, which are links
    <div ref={root} className={classes.canvas} onKeyDown={press} onClick={openAt} {...handlers}>
      <p id={help} hidden>
        {t('diagram.canvas-help')}
      </p>
      {view === undefined || part === undefined ? null : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form fields
        <div
          role="group"
          aria-label={t('diagram.canvas', { count: tables.length })}
          aria-describedby={help}
          className={classes.layer}
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})` }}
        >
          <svg className={classes.edges} aria-hidden>
            {inside(edges, part, ({ edge }) => edgeBox(edge)).map((edge) => (
              <EdgeLine
                key={edge.id}
                placed={edge}
                isRelated={focused !== undefined && endsOf(edge).includes(focused)}
                onOpen={onOpenKey}
              />
            ))}
          </svg>
          {rendered.map(({ id, table, columns, box }) => (
            <TableNode
              key={id}
              id={id}
              table={table}
              columns={columns}
              x={box.x}
              y={box.y}
              width={box.width}
              height={box.height}
              label={t('diagram.node', {
                table: labelOf(table),
                kind: t(`diagram.kind.${table.kind}`),
                columns: table.columns.length,
                detail: detailOf(table),
                references: related.references.get(id)?.join(', ') ?? t('diagram.nothing'),
                referencing: related.referencing.get(id)?.join(', ') ?? t('diagram.nothing'),
              })}
              isCurrent={id === current}
              isCenter={id === center}
              isDetailed={isDetailed}
              hasButton={view.zoom >= buttonZoom}
              onFocus={focus}
              onOpen={onOpenTable}
            />
          ))}
        </div>
      )}
      <div className={classes.zoom}>
        <ZoomButton label={t('diagram.zoom-in')} Icon={IconPlus} onClick={() => zoomBy(zoomStep)} />
        <ZoomButton label={t('diagram.zoom-out')} Icon={IconMinus} onClick={() => zoomBy(1 / zoomStep)} />
        <ZoomButton label={t('diagram.fit')} Icon={IconMaximize} onClick={showAll} />
      </div>
    </div>
  );
}

const zoomKeys: Readonly<Record<string, number>> = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep };

const steps: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -stepPixels, y: 0 },
  ArrowRight: { x: stepPixels, y: 0 },
  ArrowUp: { x: 0, y: -stepPixels },
  ArrowDown: { x: 0, y: stepPixels },
};

function ZoomButton({ label, Icon, onClick }: { label: string; Icon: typeof IconPlus; onClick: () => void }) {
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} onClick={onClick}>
      <Icon size={16} aria-hidden />
    </ActionIcon>
  );
}

/**
 * The line of a foreign key. A click opens the key. With the keyboard, the key is opened from the details of a table.
 */
const EdgeLine = memo(function EdgeLine({
  placed,
  isRelated,
  onOpen,
}: {
  placed: PlacedEdge;
  isRelated: boolean;
  onOpen: (edge: PlacedEdge) => void;
}) {
  const { edge, relationship } = placed;
  const { from, to, key } = relationship;
  const path = edgePath(edge);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the details of a table have buttons for the same action
    <g
      className={classes.edge}
      data-related={isRelated || undefined}
      data-key={key.name}
      onClick={() => onOpen(placed)}
    >
      <title>
        {`${labelOf(from)} (${key.columns.join(', ')}) → ${labelOf(to)} (${key.references.join(', ')})`}
      </title>
      <path className={classes.edgeTarget} d={path} />
      <path className={classes.edgeLine} d={path + edgeMarks(edge, key.unique)} />
    </g>
  );
});

const endsOf = ({ relationship: { from, to } }: PlacedEdge): readonly string[] => [idOf(from), idOf(to)];

const tableIdAt = (element: Element): string | undefined =>
  element.closest<HTMLElement>('[data-table]')?.dataset.table;

function linkOf(root: HTMLElement | null, id: string): HTMLElement | null {
  return root?.querySelector<HTMLElement>(`[data-table="${CSS.escape(id)}"] a`) ?? null;
}

/** Returns the names of the tables that each table references, and of those that reference it. */
function relatedNames(edges: readonly PlacedEdge[]): {
  readonly references: ReadonlyMap<string, readonly string[]>;
  readonly referencing: ReadonlyMap<string, readonly string[]>;
} {
  const references = new Map<string, string[]>();
  const referencing = new Map<string, string[]>();
  const add = (to: Map<string, string[]>, id: string, name: string): void => {
    const names = to.get(id) ?? [];
    if (!names.includes(name)) to.set(id, [...names, name]);
  };
  for (const { relationship } of edges) {
    const { from, to } = relationship;
    add(references, idOf(from), labelOf(to));
    add(referencing, idOf(to), labelOf(from));
  }
  return { references, referencing };
}

/** Returns the table with the most relations, around which a large diagram opens. */
function mostRelated(tables: readonly PlacedTable[], edges: readonly PlacedEdge[]): PlacedTable | undefined {
  const counts = new Map<string, number>();
  for (const id of edges.flatMap(endsOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const countOf = ({ id }: PlacedTable): number => counts.get(id) ?? 0;
  return tables.toSorted((left, right) => countOf(right) - countOf(left))[0];
}
