interface RepositoryFields {
  readonly repository?: { readonly type: 'git'; readonly url: string };
  readonly homepage?: string;
  readonly bugs?: string;
}

/**
 * Returns the npm package's fields with the public repository's URL, which npm provenance requires. The clone's
 * package.json contains the URL once, and the other fields are derived from it.
 */
export function repositoryFields(
  repository: { readonly url: string } | string | undefined,
): RepositoryFields {
  const given = typeof repository === 'string' ? repository : repository?.url;
  if (given === undefined) return {};
  const web = given.replace(/^git\+/, '').replace(/\.git$/, '');
  return {
    repository: { type: 'git', url: `git+${web}.git` },
    homepage: `${web}#readme`,
    bugs: `${web}/issues`,
  };
}
