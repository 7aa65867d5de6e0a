/**
 * Orders objects so that each object is created after the objects that it depends on. To break a cycle, a default or a
 * check constraint is created separately, or a view is first created without its query.
 */
import { type CatalogObject, type Dependency, objectKinds, type Part, type Section } from '../types.ts';

export interface Step {
  readonly object: CatalogObject;
  readonly section: Section;
  /** `placeholder` creates a view without its query, and `query` completes that view. */
  readonly what: 'object' | 'placeholder' | 'query' | { readonly part: Part };
  /** The keys of the parts that are created separately. */
  readonly separate: ReadonlySet<string>;
}

interface Node {
  readonly id: string;
  readonly object: CatalogObject;
  section: Section;
  what: Step['what'];
  /** Maps each node that this node depends on to the keys of the parts that depend on that node, or to `self`. */
  readonly needs: Map<string, Set<string>>;
}

const self = 'self';
const sections: readonly Section[] = ['pre', 'post', 'final'];
/** The object kinds that can be created after the data is loaded. */
const movable = new Set(['VIEW', 'MATERIALIZED VIEW', 'FUNCTION', 'PROCEDURE', 'AGGREGATE']);

export function orderObjects(
  objects: readonly CatalogObject[],
  dependencies: readonly Dependency[],
): readonly Step[] {
  const graph = new Graph(objects, dependencies);
  graph.movePastData();
  return graph.sort();
}

class Graph {
  readonly #nodes = new Map<string, Node>();
  /** Maps each catalog row to its object and, if the row is a part of the object, also to that part. */
  readonly #rows = new Map<string, { readonly id: string; readonly part?: Part }>();
  readonly #separate = new Map<string, Set<string>>();
  readonly #ranks = new Map<string, string>();

  constructor(objects: readonly CatalogObject[], dependencies: readonly Dependency[]) {
    for (const object of objects) {
      const { key, section, parts = [], aliases = [] } = object;
      this.#nodes.set(key, { id: key, object, section, what: 'object', needs: new Map() });
      for (const each of [key, ...aliases]) this.#rows.set(each, { id: key });
      for (const part of parts) this.#rows.set(part.key, { id: key, part });
    }
    const needs = objects.flatMap(({ key, needs = [] }) => needs.map((to) => ({ from: key, to })));
    for (const { from, to } of [...dependencies, ...needs]) this.#connect(from, to);
    for (const node of [...this.#nodes.values()]) {
      for (const part of node.object.parts ?? []) {
        if (part.section !== undefined) this.#separatePart(node, part);
      }
    }
  }

  #connect(from: string, to: string): void {
    const source = this.#rows.get(from);
    const target = this.#rows.get(to);
    if (source === undefined || target === undefined || source.id === target.id) return;
    const node = this.#nodes.get(source.id) as Node;
    if (node.object.ignores?.includes(target.id)) return;
    const reasons = node.needs.get(target.id) ?? new Set();
    node.needs.set(target.id, reasons.add(source.part?.key ?? self));
  }

  /** Moves a part and its dependencies to a separate node. */
  #separatePart(node: Node, part: Part): void {
    const needs = new Map([[node.id, new Set([self])]]);
    for (const [id, reasons] of node.needs) {
      if (!reasons.delete(part.key)) continue;
      needs.set(id, new Set([self]));
      if (reasons.size === 0) node.needs.delete(id);
    }
    const section = part.section ?? node.section;
    this.#nodes.set(part.key, { id: part.key, object: node.object, section, what: { part }, needs });
    const separate = this.#separate.get(node.object.key) ?? new Set();
    this.#separate.set(node.object.key, separate.add(part.key));
  }

  /**
   * Moves objects that depend on an object from a later section. For example, a view that groups by a primary key
   * depends on the constraint, which is created after the data is loaded.
   */
  movePastData(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const node of [...this.#nodes.values()]) {
        if (node.section !== 'pre') continue;
        for (const [id, reasons] of [...node.needs]) {
          if (this.#nodes.get(id)?.section === 'pre') continue;
          changed = true;
          if (movable.has(node.object.kind)) node.section = 'post';
          else if (reasons.has(self)) node.needs.delete(id);
          else this.#postpone(node, reasons);
        }
      }
    }
  }

  #postpone(node: Node, parts: ReadonlySet<string>): void {
    for (const part of node.object.parts ?? []) {
      if (parts.has(part.key)) this.#separatePart(node, { ...part, section: 'post' });
    }
  }

  sort(): Step[] {
    const steps: Step[] = [];
    const waiting = new Map(this.#nodes);
    const dependents = new Map<string, Set<string>>();
    const ready: Node[] = [];
    const track = (node: Node): void => {
      for (const id of node.needs.keys()) {
        if (!waiting.has(id)) node.needs.delete(id);
        else dependents.set(id, (dependents.get(id) ?? new Set()).add(node.id));
      }
      if (node.needs.size === 0) this.#insert(ready, node);
    };
    for (const node of waiting.values()) track(node);
    while (waiting.size > 0) {
      const next = ready.pop();
      if (next === undefined) {
        for (const node of this.#breakCycle(waiting)) {
          waiting.set(node.id, node);
          track(node);
        }
        continue;
      }
      waiting.delete(next.id);
      steps.push(this.#stepOf(next));
      for (const id of dependents.get(next.id) ?? []) {
        const node = waiting.get(id);
        if (node?.needs.delete(next.id) && node.needs.size === 0) this.#insert(ready, node);
      }
    }
    return steps;
  }

  #stepOf({ object, section, what }: Node): Step {
    return { object, section, what, separate: this.#separate.get(object.key) ?? new Set() };
  }

  /** Breaks a cycle by removing a dependency. Returns the nodes whose dependencies have changed. */
  #breakCycle(waiting: ReadonlyMap<string, Node>): Node[] {
    const cycle = this.#findCycle(waiting);
    for (const [index, node] of cycle.entries()) {
      const next = cycle[(index + 1) % cycle.length] as Node;
      const reasons = node.needs.get(next.id);
      if (reasons === undefined || reasons.has(self)) continue;
      const parts = (node.object.parts ?? []).filter(({ key }) => reasons.has(key));
      for (const part of parts) this.#separatePart(node, part);
      return [node, ...parts.map(({ key }) => this.#nodes.get(key) as Node)];
    }
    const view = cycle.find(({ object, what }) => what === 'object' && object.placeholder !== undefined);
    if (view !== undefined) return this.#splitView(view);
    // Ignores one dependency. The objects were once created in some order, so at least one dependency in the cycle is
    // unnecessary.
    const [first, second] = cycle as [Node, Node | undefined];
    first.needs.delete((second ?? first).id);
    return [first];
  }

  #splitView(view: Node): Node[] {
    const query: Node = {
      id: `${view.id}#query`,
      object: view.object,
      section: view.section,
      what: 'query',
      needs: new Map([...view.needs, [view.id, new Set([self])]]),
    };
    this.#nodes.set(query.id, query);
    view.what = 'placeholder';
    for (const id of [...view.needs.keys()]) {
      const kind = this.#nodes.get(id)?.object.kind ?? '';
      if (!['SCHEMA', 'EXTENSION', 'COLLATION', 'TYPE', 'DOMAIN'].includes(kind)) view.needs.delete(id);
    }
    return [view, query];
  }

  /**
   * Finds a cycle by following dependencies. A cycle exists because every waiting node depends on another waiting node.
   */
  #findCycle(waiting: ReadonlyMap<string, Node>): Node[] {
    const path: Node[] = [];
    const first = (nodes: Iterable<Node>): Node =>
      [...nodes].reduce((a, b) => (this.#compare(a, b) <= 0 ? a : b));
    let node = first(waiting.values());
    for (;;) {
      const at = path.indexOf(node);
      if (at !== -1) return path.slice(at);
      path.push(node);
      node = first([...node.needs.keys()].flatMap((id) => waiting.get(id) ?? []));
    }
  }

  /** Inserts a node into the list, which is in descending order, so the next node is at the end. */
  #insert(ready: Node[], node: Node): void {
    let low = 0;
    let high = ready.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(ready[middle] as Node, node) > 0) low = middle + 1;
      else high = middle;
    }
    ready.splice(low, 0, node);
  }

  #compare(a: Node, b: Node): number {
    const [first, second] = [this.#rankOf(a), this.#rankOf(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  }

  /** OIDs differ between databases, so nodes are ranked by name. */
  #rankOf({ id, object, section, what }: Node): string {
    const known = this.#ranks.get(`${section} ${id}`);
    if (known !== undefined) return known;
    const { kind, schema = '', name, identity } = object;
    const part = typeof what === 'object' ? what.part.statement : what === 'query' ? 'query' : '';
    const order = [sections.indexOf(section), objectKinds.indexOf(kind)].map((n) =>
      String(n).padStart(3, '0'),
    );
    const rank = [...order, schema, name, identity, part].join('\0');
    this.#ranks.set(`${section} ${id}`, rank);
    return rank;
  }
}
