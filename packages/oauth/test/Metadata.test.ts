import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Metadata from "../src/internal/Metadata.ts"

const hrefs = (urls: ReadonlyArray<URL>) => urls.map(({ href }) => href)

describe("the places of metadata", () => {
  // RFC 9728, section 3.1
  it.each([
    ["https://resource.example.com", "https://resource.example.com/.well-known/oauth-protected-resource"],
    ["https://resource.example.com/", "https://resource.example.com/.well-known/oauth-protected-resource"],
    ["https://resource.example.com/mcp", "https://resource.example.com/.well-known/oauth-protected-resource/mcp"],
    ["https://resource.example.com/mcp/", "https://resource.example.com/.well-known/oauth-protected-resource/mcp"],
    ["https://a.example/mcp?k=v", "https://a.example/.well-known/oauth-protected-resource/mcp?k=v"]
  ])("those of the resource %s are at %s", (resource, place) => {
    assert.strictEqual(Metadata.resourceMetadataUrl(new URL(resource)).href, place)
  })

  // https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
  it("an issuer with a path has three places", () => {
    assert.deepStrictEqual(hrefs(Metadata.issuerMetadataUrls(new URL("https://auth.example.com/tenant1"))), [
      "https://auth.example.com/.well-known/oauth-authorization-server/tenant1",
      "https://auth.example.com/.well-known/openid-configuration/tenant1",
      "https://auth.example.com/tenant1/.well-known/openid-configuration"
    ])
  })

  it("an issuer without a path has two", () => {
    assert.deepStrictEqual(hrefs(Metadata.issuerMetadataUrls(new URL("https://auth.example.com"))), [
      "https://auth.example.com/.well-known/oauth-authorization-server",
      "https://auth.example.com/.well-known/openid-configuration"
    ])
  })

  it("a path that begins with two slashes stays at the host", () => {
    assert.deepStrictEqual(
      hrefs(Metadata.issuerMetadataUrls(new URL("https://auth.example.com//evil.example/x"))).map((href) =>
        new URL(href).host
      ),
      ["auth.example.com", "auth.example.com", "auth.example.com"]
    )
  })
})

describe("metadata", () => {
  it.prop("any JSON is decoded or refused", [Schema.Json], ([json]) => {
    Schema.decodeUnknownResult(Metadata.ProtectedResourceMetadata)(json)
    Schema.decodeUnknownResult(Metadata.AuthorizationServerMetadata)(json)
  })

  it("members that nobody reads are left out", () => {
    assert.deepStrictEqual(
      Schema.decodeUnknownSync(Metadata.ProtectedResourceMetadata)({ resource: "https://a.example/", other: [1] }),
      { resource: "https://a.example/" }
    )
  })
})
