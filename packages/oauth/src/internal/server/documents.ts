/** The answers of an authorization server, within bounds: JSON, no redirects, in time. */
import { Address } from "@parley/http/shared"
import { HttpFetcher } from "@parley/http/shared/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { VerifierUnavailable } from "../../TokenVerifier.ts"
import { AuthorizationServerMetadata, issuerMetadataUrls } from "../Metadata.ts"
import * as bounds from "./bounds.ts"

/** Fetches JSON; `undefined` where the status is 404. @internal */
export const fetchJson = (
  { fetch }: HttpFetcher.HttpFetcher,
  request: HttpFetcher.Request
): Effect.Effect<unknown, VerifierUnavailable> => {
  const url = shown(new URL(request.url))
  const unavailable = (rule: string) => new VerifierUnavailable({ url, rule })
  return Effect.scoped(Effect.gen(function*() {
    const response = yield* fetch({ ...request, headers: { accept: "application/json", ...request.headers } })
    if (response.status === 404) return undefined
    if (response.status !== 200) return yield* unavailable(`answered with HTTP status ${response.status}, not 200`)
    const text = yield* HttpFetcher.text(response, bounds.largestDocument)
    const parsed = Result.try((): unknown => JSON.parse(text))
    return Result.isFailure(parsed) ? yield* unavailable("answered with what is no JSON") : parsed.success
  })).pipe(
    Effect.mapError((error) => error._tag === "VerifierUnavailable" ? error : unavailable(error.message)),
    Effect.timeoutOrElse({
      duration: bounds.patience,
      orElse: () => Effect.fail(unavailable(`did not answer within ${Duration.format(bounds.patience)}`))
    })
  )
}

/** A URL without what may be secret. */
const shown = (url: URL): string => `${url.origin}${url.pathname}`

const decodeMetadata = Schema.decodeUnknownOption(AuthorizationServerMetadata)

/** The metadata of an authorization server, which must name itself as it is named here (RFC 8414, section 3.3). */
const discover = Effect.fnUntraced(function*(
  fetcher: HttpFetcher.HttpFetcher,
  issuer: string
): Effect.fn.Return<AuthorizationServerMetadata, VerifierUnavailable> {
  for (const url of issuerMetadataUrls(new URL(issuer))) {
    const found = yield* fetchJson(fetcher, { method: "GET", url })
    if (found === undefined) continue
    const metadata = decodeMetadata(found)
    if (Option.isSome(metadata) && metadata.value.issuer === issuer) return metadata.value
    return yield* new VerifierUnavailable({ url: url.href, rule: `does not say that it is of the issuer ${issuer}` })
  }
  return yield* new VerifierUnavailable({ url: issuer, rule: "has no metadata of an authorization server" })
})

/** A URL that the metadata of an authorization server have. @internal */
export const discoveredUrl = Effect.fnUntraced(function*(
  fetcher: HttpFetcher.HttpFetcher,
  issuer: string,
  name: "jwks_uri" | "introspection_endpoint"
): Effect.fn.Return<URL, VerifierUnavailable> {
  const found = (yield* discover(fetcher, issuer))[name]
  const url = found === undefined ? null : URL.parse(found)
  // An issuer elsewhere must not have this machine asked.
  const isHere = new URL(issuer).protocol === "http:"
  if (url !== null && (url.protocol === "https:" || (isHere && Address.isSecure(url)))) return url
  return yield* new VerifierUnavailable({ url: issuer, rule: `has no \`${name}\` that is safe in its metadata` })
})
