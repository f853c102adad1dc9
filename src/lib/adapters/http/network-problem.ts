/** Why no answer came over the network. */
export type NetworkProblem = 'refused' | 'unknown_host' | 'tls' | 'timeout' | 'network';

const CODES: Readonly<Record<string, NetworkProblem>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  CERT_HAS_EXPIRED: 'tls',
  CERT_NOT_YET_VALID: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_GET_ISSUER_CERT: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  EPROTO: 'tls',
};

/** What an error that `fetch` threw means; `network` where its chain of causes names nothing better. */
export function networkProblem(error: unknown): NetworkProblem {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') return 'timeout';
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    const known = CODES[code];
    if (known !== undefined) return known;
    if (/^(ERR_TLS_|ERR_SSL_|CERT_)/.test(code)) return 'tls';
  }
  return 'network';
}
