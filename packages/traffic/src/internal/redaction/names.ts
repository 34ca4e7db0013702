/**
 * The names of members and headers whose values are secrets.
 */

/**
 * Names as they end, without case and separators: `x-api-key`, `githubToken` and `SLACK_BOT_TOKENS` are such names. Tokens
 * are secrets only with the word for their kind: `max_tokens` counts words.
 */
const endings = [
  "accesskeys?",
  "accesskeyids?",
  "apikeys?",
  "assertion",
  "authorization",
  "codeverifier",
  "cookies?",
  "credentials?",
  "devicecode",
  "encryptionkeys?",
  "jwts?",
  "passphrases?",
  "passwds?",
  "passwords?",
  "privatekeys?",
  "pwd",
  "secrets?",
  "secretkeys?",
  "signingkeys?",
  "token",
  "(?:access|api|auth|bearer|bot|id|refresh|session)tokens"
]

/** Names too short to be looked for at the end of another. */
const whole: ReadonlySet<string> = new Set(["otp", "totp"])

// linear: a name has at most 512 characters
const ending = new RegExp(`(?:${endings.join("|")})$`)

/** Tokens that are positions or names of work, and give nobody access. */
const harmless =
  /(?:progress|page|next|continuation|cancellation|sync|partialresult|workdone|stop|pad|eos|bos|unk|special|end|start)token$/

/** No name of a secret is longer, as it is written with escapes. */
export const longest = 512

/** Names as they are compared, for which somebody has said that they are those of secrets. */
export type Own = ReadonlySet<string>

/** Names that somebody has listed. */
export const ownOf = (names: ReadonlyArray<string>): Own => new Set(names.map(plainOf))

/** Whether a name is that of a secret. A name in a query may have its separators as `%2D`. */
export const isSecret = (name: string, own: Own): boolean => {
  if (name.length > longest) return false
  const plain = plainOf(name)
  return own.has(plain) || whole.has(plain) || (ending.test(plain) && !harmless.test(plain))
}

const plainOf = (name: string): string => name.toLowerCase().replace(/%(?:2[de]|5f|20)|[-_.\s]/g, "")

/** Arrays by the names of their members, whose strings are names themselves, such as `required` of a JSON Schema. */
const lists =
  /^(?:required|enum|examples|order|propertyordering)$|(?:supported|types?|scopes?|names?|fields|columns|keys|props|properties)$/i

/** Whether an array of this name has names, and no name with its value. */
export const isList = (name: string): boolean => name.length <= longest && lists.test(name)
