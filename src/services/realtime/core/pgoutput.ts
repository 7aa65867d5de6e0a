/**
 * Decodes PostgreSQL's logical replication messages, which the plugin pgoutput sends in protocol version 1 ("Logical
 * Replication Message Formats" in PostgreSQL's manual). A decoder stores the relations that the server has described.
 */

export interface Relation {
  readonly oid: number;
  readonly schema: string;
  readonly table: string;
  /** `d` means default, `n` nothing, `f` full and `i` index. */
  readonly replicaIdentity: string;
  readonly columns: readonly RelationColumn[];
}

export interface RelationColumn {
  readonly name: string;
  readonly typeOid: number;
  /** Whether the replica identity includes the column. */
  readonly key: boolean;
}

/**
 * The value's text, or null. Undefined if PostgreSQL didn't send the value, because it is an unchanged TOASTed value or
 * its column isn't part of the replica identity.
 */
export type Cell = string | null | undefined;

export type ReplicationEvent =
  | { readonly kind: 'begin'; readonly commitMicros: bigint; readonly finalLsn: bigint; readonly xid: number }
  | { readonly kind: 'commit'; readonly endLsn: bigint }
  | { readonly kind: 'relation'; readonly relation: Relation }
  | {
      readonly kind: 'insert';
      readonly relation: Relation;
      readonly row: readonly Cell[];
      readonly bytes: number;
    }
  | {
      readonly kind: 'update';
      readonly relation: Relation;
      readonly row: readonly Cell[];
      /**
       * The old row if the table has REPLICA IDENTITY FULL, or the old key if the key changed. Otherwise, undefined.
       */
      readonly old: { readonly whole: boolean; readonly row: readonly Cell[] } | undefined;
      readonly bytes: number;
    }
  | {
      readonly kind: 'delete';
      readonly relation: Relation;
      readonly old: { readonly whole: boolean; readonly row: readonly Cell[] };
      readonly bytes: number;
    };

export interface Decoder {
  /**
   * Decodes a message. Returns undefined for ignored messages (origin, type, truncate) and for rows of relations that
   * `isWanted` rejects.
   * @throws {RangeError} if the bytes aren't valid pgoutput data
   */
  decode(data: Buffer): ReplicationEvent | undefined;
}

/** The microseconds between PostgreSQL's epoch and the Unix epoch. */
const epochMicros = 946_684_800_000_000n;

export function createDecoder(isWanted: (relation: Relation) => boolean = () => true): Decoder {
  const relations = new Map<number, Relation>();

  const relationOf = (reader: Reader): Relation => {
    const oid = reader.uint32();
    const relation = relations.get(oid);
    if (relation === undefined) throw new RangeError(`pgoutput: relation ${oid} was never described`);
    return relation;
  };

  return {
    decode(data) {
      const reader = new Reader(data);
      switch (String.fromCharCode(reader.uint8())) {
        case 'B': {
          const finalLsn = reader.uint64();
          return {
            kind: 'begin',
            finalLsn,
            commitMicros: reader.uint64() + epochMicros,
            xid: reader.uint32(),
          };
        }
        case 'C': {
          reader.skip(1 + 8);
          return { kind: 'commit', endLsn: reader.uint64() };
        }
        case 'R': {
          const relation = readRelation(reader);
          relations.set(relation.oid, relation);
          return { kind: 'relation', relation };
        }
        case 'I': {
          const relation = relationOf(reader);
          if (!isWanted(relation)) return undefined;
          reader.skip(1);
          return { kind: 'insert', relation, row: readRow(reader), bytes: data.length };
        }
        case 'U': {
          const relation = relationOf(reader);
          if (!isWanted(relation)) return undefined;
          let tag = String.fromCharCode(reader.uint8());
          let old: { whole: boolean; row: Cell[] } | undefined;
          if (tag === 'K' || tag === 'O') {
            old = { whole: tag === 'O', row: readOld(reader, relation, tag) };
            tag = String.fromCharCode(reader.uint8());
          }
          if (tag !== 'N') throw new RangeError(`pgoutput: unexpected tuple ${tag}`);
          return { kind: 'update', relation, old, row: readRow(reader), bytes: data.length };
        }
        case 'D': {
          const relation = relationOf(reader);
          if (!isWanted(relation)) return undefined;
          const tag = String.fromCharCode(reader.uint8());
          const old = { whole: tag === 'O', row: readOld(reader, relation, tag) };
          return { kind: 'delete', relation, old, bytes: data.length };
        }
        default:
          return undefined;
      }
    },
  };
}

function readRelation(reader: Reader): Relation {
  const oid = reader.uint32();
  // In pgoutput, an empty namespace means `pg_catalog`.
  const schema = reader.string() || 'pg_catalog';
  const table = reader.string();
  const replicaIdentity = String.fromCharCode(reader.uint8());
  const columns: RelationColumn[] = [];
  for (let left = reader.uint16(); left > 0; left--) {
    const key = reader.uint8() === 1;
    const name = reader.string();
    const typeOid = reader.uint32();
    reader.skip(4);
    columns.push({ name, typeOid, key });
  }
  return { oid, schema, table, replicaIdentity, columns };
}

function readRow(reader: Reader): Cell[] {
  const row: Cell[] = [];
  for (let left = reader.uint16(); left > 0; left--) {
    switch (String.fromCharCode(reader.uint8())) {
      case 'n':
        row.push(null);
        break;
      case 'u':
        row.push(undefined);
        break;
      case 't':
        row.push(reader.text(reader.uint32()));
        break;
      default:
        throw new RangeError('pgoutput: unknown kind of column');
    }
  }
  return row;
}

/** In a tuple with the old key, the columns outside the key are sent as null, regardless of their values. */
function readOld(reader: Reader, relation: Relation, tag: string): Cell[] {
  const row = readRow(reader);
  if (tag === 'O') return row;
  return row.map((cell, index) => (relation.columns[index]?.key ? cell : undefined));
}

class Reader {
  #data: Buffer;
  #at = 0;
  constructor(data: Buffer) {
    this.#data = data;
  }
  #advance(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#data.length) throw new RangeError('pgoutput: message is cut short');
    this.#at += bytes;
    return at;
  }
  skip(bytes: number): void {
    this.#advance(bytes);
  }
  uint8(): number {
    return this.#data[this.#advance(1)] as number;
  }
  uint16(): number {
    return this.#data.readUInt16BE(this.#advance(2));
  }
  uint32(): number {
    return this.#data.readUInt32BE(this.#advance(4));
  }
  uint64(): bigint {
    return this.#data.readBigUInt64BE(this.#advance(8));
  }
  text(bytes: number): string {
    const at = this.#advance(bytes);
    return this.#data.toString('utf8', at, at + bytes);
  }
  string(): string {
    const end = this.#data.indexOf(0, this.#at);
    if (end < 0) throw new RangeError('pgoutput: string without end');
    const text = this.#data.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }
}
