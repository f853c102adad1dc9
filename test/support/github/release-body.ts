import type { Repository } from './repository.ts';
import type { Shape } from './shapes.ts';
import type { Release } from './state.ts';
import { nodeId, optionalTimestamp, timestamp, type Urls } from './urls.ts';
import { userBody } from './user-body.ts';

export function releaseBody(urls: Urls, repository: Repository, release: Release): Shape<'release'> {
  const url = `${urls.repo(repository)}/releases/${String(release.id)}`;
  return {
    id: release.id,
    node_id: nodeId('RE', release.id),
    url,
    html_url: `${urls.page(repository)}/releases/tag/${encodeURIComponent(release.tag)}`,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    tarball_url: `${urls.repo(repository)}/tarball/${release.tag}`,
    zipball_url: `${urls.repo(repository)}/zipball/${release.tag}`,
    tag_name: release.tag,
    target_commitish: repository.defaultBranch,
    name: release.name,
    body: release.body,
    draft: release.draft,
    prerelease: release.prerelease,
    author: userBody(urls, release.user),
    assets: [],
    created_at: timestamp(release.createdAt),
    published_at: optionalTimestamp(release.publishedAt),
    updated_at: timestamp(release.updatedAt),
  };
}
