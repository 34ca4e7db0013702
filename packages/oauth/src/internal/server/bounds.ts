/** The bounds of what a protected resource takes from strangers and asks of its authorization server. */
import * as Duration from "effect/Duration"

/** Characters of a token, or of a proof: no issuer of ours has a longer one, and each is parsed for anybody. @internal */
export const longestToken = 16_384

/** Characters of a secret that keys are derived from: as many as an AES-256 key has bytes. @internal */
export const minSecretLength = 32

/** Bytes of a document or an answer of the authorization server. @internal */
export const largestDocument = 262_144

/** How long the authorization server may take for one answer. @internal */
export const patience = Duration.seconds(5)

/** Keys of an authorization server. @internal */
export const mostKeys = 100

/** Milliseconds for which keys are taken without a look at whether there are others. @internal */
export const freshKeys = 600_000

/** Milliseconds for which keys are taken while their server cannot be asked. @internal */
export const staleKeys = 3_600_000

/** Milliseconds between two looks for keys that are not known. @internal */
export const keyCooldown = 30_000

/** Milliseconds between two looks at an issuer that has failed, where no keys of it are known. @internal */
export const failureCooldown = 1_000

/** Valid tokens that are remembered: more than there are requests at once by default. @internal */
export const rememberedTokens = 2_048

/** The share of one principal: more than it has clients, and far less than all. @internal */
export const rememberedOfOne = 128

/** How long a check is remembered: so long, a token that is revoked still counts. @internal */
export const defaultCacheFor = Duration.minutes(1)

/** By how much the clocks of two machines may differ. @internal */
export const defaultTolerance = Duration.seconds(30)
