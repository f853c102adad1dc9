/** The only source of randomness in the library. */
export interface Entropy {
  /** A new token of 128 random bits, base64url (22 characters). */
  token(): string;
}
