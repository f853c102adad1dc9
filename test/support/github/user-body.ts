import type { Shape } from './shapes.ts';
import type { User } from './state.ts';
import { nodeId, timestamp, type Urls } from './urls.ts';

const GHOST: User = { id: 10_137, login: 'ghost', name: 'Deleted user', type: 'User' };

/** A user as other answers hold it. */
export function userBody(urls: Urls, user: User): Shape<'simple-user'> {
  const known = urls.users.get(user);
  if (known !== undefined) return known;
  const url = `${urls.api}/users/${user.login}`;
  const body: Shape<'simple-user'> = {
    login: user.login,
    id: user.id,
    node_id: nodeId('U', user.id),
    avatar_url: `${urls.html}/avatars/${String(user.id)}`,
    gravatar_id: '',
    url,
    html_url: `${urls.html}/${user.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    site_admin: false,
  };
  urls.users.set(user, body);
  return body;
}

/** The same, with null for an account that was deleted. */
export function optionalUserBody(urls: Urls, user: User | null): Shape<'nullable-simple-user'> {
  return user === null ? null : userBody(urls, user);
}

/** The same for a place where the description of an answer does not allow null. */
export function userOrGhostBody(urls: Urls, user: User | null): Shape<'simple-user'> {
  return userBody(urls, user ?? GHOST);
}

/** The answer to `GET /user`. */
export function publicUserBody(urls: Urls, user: User): Shape<'public-user'> {
  return {
    ...userBody(urls, user),
    user_view_type: 'public',
    name: user.name,
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: timestamp(0),
    updated_at: timestamp(0),
  };
}
