/**
 * Turns the script of pgvector into statements that replace the objects of the former SQL-only extension in place, so
 * that columns, views and functions which refer to the objects keep their references.
 */

/** A base type of the script, with the functions that read and write its values. */
export interface NativeType {
  readonly name: string;
  /** The functions by option, such as `input`. */
  readonly functions: Readonly<Record<string, string>>;
}

export type NativeStatement =
  | { readonly kind: 'type'; readonly type: NativeType }
  /** Replaces an object, or creates it if it doesn't exist. `member` names it in ALTER EXTENSION. */
  | { readonly kind: 'replace'; readonly text: string; readonly member: string }
  /** Creates an object. If `operator` is set, the statement runs only if this operator doesn't exist. */
  | {
      readonly kind: 'create';
      readonly text: string;
      readonly members: readonly string[];
      readonly operator?: string;
    }
  | { readonly kind: 'method'; readonly name: string; readonly handler: string }
  | { readonly kind: 'run'; readonly text: string };

/** Parses the script. @throws {Error} if it contains a statement of an unknown kind */
export function nativeStatements(script: string): NativeStatement[] {
  const text = script.replaceAll(/^\s*(--|\\echo).*$/gm, '').replaceAll('MODULE_PATHNAME', '$libdir/vector');
  return text
    .split(/;\s*(?:\n|$)/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .flatMap(parse);
}

function parse(text: string): NativeStatement[] {
  const [, kind = ''] =
    /^CREATE (TYPE|FUNCTION|AGGREGATE|CAST|OPERATOR CLASS|OPERATOR|ACCESS METHOD)\b/.exec(text) ?? [];
  const rest = text.slice(`CREATE ${kind}`.length).trim();
  switch (kind) {
    case 'TYPE': {
      const [, name = '', options] = /^(\w+)\s*(?:\(([^)]*)\))?$/.exec(rest) ?? [];
      // A type without options is only a declaration.
      if (options === undefined) return [];
      const functions = Object.fromEntries(
        [...options.matchAll(/(\w+)\s*=\s*(\w+)/g)].map(([, option = '', value = '']) => [
          option.toLowerCase(),
          value,
        ]),
      );
      return [{ kind: 'type', type: { name, functions } }];
    }
    case 'FUNCTION':
    case 'AGGREGATE': {
      const [signature = ''] = /^\w+\([^)]*\)/.exec(rest) ?? [];
      return [{ kind: 'replace', text: `CREATE OR REPLACE ${kind} ${rest}`, member: `${kind} ${signature}` }];
    }
    case 'CAST': {
      const [signature = ''] = /^\([^)]*\)/.exec(rest) ?? [];
      return [{ kind: 'create', text, members: [`CAST ${signature}`] }];
    }
    case 'OPERATOR': {
      const [, name = ''] = /^(\S+)/.exec(rest) ?? [];
      const left = /LEFTARG = (\w+)/.exec(rest)?.[1];
      const right = /RIGHTARG = (\w+)/.exec(rest)?.[1];
      const operator = `${name}(${left},${right})`;
      return [{ kind: 'create', text, members: [`OPERATOR ${name} (${left}, ${right})`], operator }];
    }
    case 'OPERATOR CLASS': {
      const [, name = ''] = /^(\w+)/.exec(rest) ?? [];
      const method = /\bUSING (\w+)/.exec(rest)?.[1];
      const target = `${name} USING ${method}`;
      return [{ kind: 'create', text, members: [`OPERATOR CLASS ${target}`, `OPERATOR FAMILY ${target}`] }];
    }
    case 'ACCESS METHOD': {
      const [, name = '', handler = ''] = /^(\w+) TYPE INDEX HANDLER (\w+)$/.exec(rest) ?? [];
      return [{ kind: 'method', name, handler }];
    }
    default:
      if (/^(COMMENT ON|select pg_catalog\.set_config|set local)/i.test(text)) return [{ kind: 'run', text }];
      throw new Error(`unknown statement in the script of pgvector: ${text.slice(0, 80)}`);
  }
}
