import { AuthorizationError } from "@parley/oauth/AuthorizationError"
import * as ProofVerifier from "@parley/oauth/ProofVerifier"
import * as SealedState from "@parley/oauth/SealedState"
import * as TokenVerifier from "@parley/oauth/TokenVerifier"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"

export default {
  AuthorizationError: {
    names: { server: foreign, issuer: "https://as.example", error: "invalid_client", description: `: ${foreign}` },
    make: (foreign) =>
      new AuthorizationError({
        server: foreign,
        reason: { _tag: "Refused", issuer: "https://as.example", error: "invalid_client", description: foreign }
      })
  },
  ProofRefused: {
    names: { reason: "(Replayed)" },
    make: () => new ProofVerifier.ProofRefused({ reason: "Replayed" })
  },
  StateRefused: {
    names: { reason: "(Expired)" },
    make: () => new SealedState.StateRefused({ reason: "Expired" })
  },
  TokenRefused: {
    names: { reason: "(Audience)" },
    make: () => new TokenVerifier.TokenRefused({ reason: "Audience" })
  },
  TooLarge: {
    names: { bytes: "70000 bytes", maxBytes: "`maxBytes` is 65536" },
    make: () => new SealedState.TooLarge({ bytes: 70_000, maxBytes: 65_536 })
  },
  VerifierUnavailable: {
    names: { url: "https://as.example.org/jwks", rule: foreign },
    make: (foreign) => new TokenVerifier.VerifierUnavailable({ url: "https://as.example.org/jwks", rule: foreign })
  }
} satisfies Examples
