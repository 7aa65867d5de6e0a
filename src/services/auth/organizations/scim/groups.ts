/** Creates, changes and deletes the groups of an organization's identity provider, whose members get roles. */
import { isPostgresError } from '../../../../base/shared/errors.ts';
import { isJsonObject, type JsonObject } from '../../common/json.ts';
import { isUuid } from '../../common/uuid.ts';
import type { AuthContext } from '../../context.ts';
import { ScimError } from './errors.ts';
import { applyPatch, parsePatch } from './patch.ts';
import {
  deleteScimGroup,
  findScimGroup,
  insertScimGroup,
  listScimGroups,
  type ScimGroup,
  setGroupMembers,
  updateScimGroup,
} from './queries.ts';
import { applyGroupRoles } from './roles.ts';
import { groups, normalize } from './schema.ts';

const maxGroups = 5000;

interface Content {
  readonly displayName: string;
  readonly externalId: string | null;
  readonly memberIds: readonly string[];
}

function contentOf(value: JsonObject): Content {
  const data = normalize(groups, value);
  const { displayName, externalId, members } = data;
  if (typeof displayName !== 'string') throw new ScimError(400, 'displayName is required', 'invalidValue');
  const memberIds = (Array.isArray(members) ? members : []).map((each) => {
    const id = isJsonObject(each) ? each.value : undefined;
    if (typeof id !== 'string' || !isUuid(id))
      throw new ScimError(400, 'A member has no valid ID', 'invalidValue');
    return id.toLowerCase();
  });
  return {
    displayName,
    externalId: typeof externalId === 'string' ? externalId : null,
    memberIds: [...new Set(memberIds)],
  };
}

const duplicate = (error: unknown): unknown =>
  isPostgresError(error) && error.code === '23505'
    ? new ScimError(409, 'A group with this displayName exists', 'uniqueness')
    : error;

export async function createScimGroup(
  ctx: AuthContext,
  organizationId: string,
  body: JsonObject,
): Promise<ScimGroup> {
  const content = contentOf(body);
  if ((await listScimGroups(ctx.pool, organizationId, {}, false)).length >= maxGroups)
    throw new ScimError(403, `An organization has at most ${maxGroups} groups`);
  const id = await ctx.pool
    .transaction(async (tx) => {
      const created = await insertScimGroup(tx, organizationId, content, ctx.clock.now());
      await requireMembers(await setGroupMembers(tx, organizationId, created, content.memberIds), content);
      return created;
    })
    .catch((error: unknown) => {
      throw duplicate(error);
    });
  await applyGroupRoles(ctx, organizationId, content.memberIds);
  return requireScimGroup(ctx, organizationId, id);
}

async function requireMembers(found: number, { memberIds }: Content): Promise<void> {
  if (found !== memberIds.length) throw new ScimError(400, 'A member does not exist', 'invalidValue');
}

export async function requireScimGroup(
  ctx: AuthContext,
  organizationId: string,
  id: string,
): Promise<ScimGroup> {
  const found = await findScimGroup(ctx.pool, organizationId, id);
  if (found === undefined) throw new ScimError(404, 'The group does not exist');
  return found;
}

/** The attributes of a group as a client would send them. */
const attributesOf = ({
  display_name: displayName,
  external_id: externalId,
  members,
}: ScimGroup): JsonObject => ({
  displayName,
  externalId,
  members: members.map(({ value }) => ({ value })),
});

export const replaceScimGroup = (
  ctx: AuthContext,
  organizationId: string,
  group: ScimGroup,
  body: JsonObject,
): Promise<ScimGroup> => change(ctx, organizationId, group, contentOf(body));

export const patchScimGroup = (
  ctx: AuthContext,
  organizationId: string,
  group: ScimGroup,
  body: JsonObject,
): Promise<ScimGroup> =>
  change(ctx, organizationId, group, contentOf(applyPatch(groups, attributesOf(group), parsePatch(body))));

async function change(
  ctx: AuthContext,
  organizationId: string,
  group: ScimGroup,
  content: Content,
): Promise<ScimGroup> {
  await ctx.pool
    .transaction(async (tx) => {
      if (!(await updateScimGroup(tx, group, content, ctx.clock.now())))
        throw new ScimError(412, 'The group has changed in the meantime');
      await requireMembers(await setGroupMembers(tx, organizationId, group.id, content.memberIds), content);
    })
    .catch((error: unknown) => {
      throw duplicate(error);
    });
  const before = group.members.map(({ value }) => value);
  // A new name can match other rules, so the roles of all members may change.
  await applyGroupRoles(ctx, organizationId, [...new Set([...before, ...content.memberIds])]);
  return requireScimGroup(ctx, organizationId, group.id);
}

export async function removeScimGroup(
  ctx: AuthContext,
  organizationId: string,
  group: ScimGroup,
): Promise<void> {
  await deleteScimGroup(ctx.pool, group.id);
  await applyGroupRoles(
    ctx,
    organizationId,
    group.members.map(({ value }) => value),
  );
}
