import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { Arbitrary, Schema } from "effect"

type Header = HttpEndpoint.Proxies["header"]

const trusted = ["10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48"]

const from = (address: string | undefined, headers: Readonly<Record<string, string>> = {}) => ({
  address,
  header: (name: string) => headers[name]
})

const read = (header: Header, value: string, address: string | undefined = "10.0.0.1") =>
  HttpEndpoint.clientAddress({ trusted, header })(from(address, { [header]: value })).address

const between = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const client = Arbitrary.map(
  Arbitrary.all([between(0, 1), between(0, 255), between(0, 65_535)]),
  ([family, octet, segment]) =>
    family === 0 ? `203.0.113.${octet}` : `2001:db8:1:2:a:b:c:${(segment || 1).toString(16)}`
)

const proxy = Arbitrary.map(
  Arbitrary.all([between(0, 2), between(0, 255)]),
  ([which, octet]) =>
    which === 0 ? `10.1.2.${octet}` : which === 1 ? "192.0.2.7" : `2001:db8:ffff::${(octet || 1).toString(16)}`
)

const port = Arbitrary.map(between(0, 2), (which) => ["", ":0", ":65535"][which] ?? "")

/** The text that a client may put before the words of the proxies. */
const junk = Arbitrary.map(
  Arbitrary.array(between(0, 9), { maxLength: 4 }),
  (parts) =>
    parts.map((part) =>
      [
        "",
        "127.0.0.1",
        "10.0.0.1",
        "::1",
        "unknown",
        "a b",
        "for=127.0.0.1",
        "[",
        "1.2.3.4.5",
        "2001:db8:ffff::1"
      ][part]
    ).join(", ")
)

const isIpv6 = (address: string) => address.includes(":")

const plain = (address: string, port: string) => isIpv6(address) && port !== "" ? `[${address}]${port}` : address + port

const element = (address: string, port: string) =>
  isIpv6(address) || port !== "" ? `by=_x;For="${isIpv6(address) ? `[${address}]` : address}${port}"` : `for=${address}`

describe("the address of a client", () => {
  it("is that of its connection where no proxy is named, whatever its headers say", () => {
    const clientOf = HttpEndpoint.clientAddress()
    const headers = { forwarded: "for=1.2.3.4", "x-forwarded-for": "1.2.3.4" }
    for (const address of ["203.0.113.9", "2001:db8::1", "127.0.0.1", undefined]) {
      const client = clientOf(from(address, headers))
      assert.deepStrictEqual([client.address, client.isProxied], [address, false])
    }
    assert.strictEqual(clientOf(from("::ffff:203.0.113.9")).address, "203.0.113.9")
    assert.strictEqual(clientOf(from("::FFFF:203.0.113.9")).address, "203.0.113.9")
  })

  it.prop(
    "is the last that no trusted proxy has, whatever the client has written before",
    [client, Arbitrary.array(proxy, { maxLength: 3 }), junk, port],
    ([client, proxies, junk, port]) => {
      const hops = [client, ...proxies].map((address) => plain(address, port))
      const value = junk === "" ? hops.join(", ") : `${junk},${hops.join(",")}`
      assert.strictEqual(read("x-forwarded-for", value), client)
    }
  )

  it.prop(
    "is read from elements of RFC 7239, with quotation marks, ports and pairs of other names",
    [client, Arbitrary.array(proxy, { maxLength: 3 }), port],
    ([client, proxies, port]) => {
      const spoofed = `for="_gaz\\"elle, for=127.0.0.1";proto=http, for=unknown`
      const hops = [client, ...proxies].map((address) => element(address, port))
      assert.strictEqual(read("forwarded", [spoofed, ...hops].join(" ,\t")), client)
    }
  )

  it.prop(
    "is that of the connection where this is no trusted proxy",
    [client, client, junk],
    ([address, claimed, junk]) => {
      for (const header of ["forwarded", "x-forwarded-for"] as const) {
        const value = header === "forwarded" ? element(claimed, "") : `${junk},${claimed}`
        assert.strictEqual(read(header, value, address), address)
        assert.isFalse(HttpEndpoint.clientAddress({ trusted, header })(from(address, { [header]: value })).isProxied)
      }
    }
  )

  it("is that of the proxy where it gives none that can be read", () => {
    const lists = [
      "",
      " ",
      ",",
      "unknown",
      "203.0.113.9,",
      "203.0.113.9, _hidden",
      "1.2.3",
      "1.2.3.256",
      "[::1",
      "::1]:80"
    ]
    for (const value of lists) assert.strictEqual(read("x-forwarded-for", value), "10.0.0.1", value)
    assert.strictEqual(read("x-forwarded-for", "203.0.113.9, nobody, 192.0.2.7"), "192.0.2.7")
    const elements = [
      "",
      "for",
      "for=",
      "for=unknown",
      "for=\"_hidden\"",
      "proto=https",
      "for=203.0.113.9;for=203.0.113.8",
      "for=203.0.113.9, proto=https",
      // A quotation mark of the client, which hides what the proxy has appended.
      "for=\"x, for=203.0.113.9",
      "for=127.0.0.1\", for=203.0.113.9",
      "for=127.0.0.1 for=203.0.113.9",
      "for=\"203.0.113.9\"x"
    ]
    for (const value of elements) assert.strictEqual(read("forwarded", value), "10.0.0.1", value)
    assert.strictEqual(
      HttpEndpoint.clientAddress({ trusted, header: "forwarded" })(from("10.0.0.1")).address,
      "10.0.0.1"
    )
  })

  it("of loopback by the word of a proxy is not one of this machine", () => {
    const read = HttpEndpoint.clientAddress({ trusted: ["127.0.0.1"], header: "x-forwarded-for" })
    for (const value of ["127.0.0.1", "garbage", ""]) {
      const { address, isProxied } = read(from("::ffff:127.0.0.1", { "x-forwarded-for": value }))
      assert.deepStrictEqual([address, isProxied], ["127.0.0.1", true])
    }
  })

  it("is asked of a proxy without an address where that is trusted", () => {
    const header = "x-forwarded-for"
    const head = from(undefined, { [header]: "203.0.113.9" })
    const believed = HttpEndpoint.clientAddress({ trusted: ["unknown"], header })
    assert.deepStrictEqual([believed(head).address, believed(head).isProxied], ["203.0.113.9", true])
    assert.deepStrictEqual([believed(from(undefined)).address, believed(from(undefined)).isProxied], [undefined, true])
    const other = HttpEndpoint.clientAddress({ trusted, header })
    assert.deepStrictEqual([other(head).address, other(head).isProxied], [undefined, false])
  })

  it("names the proxy that it cannot read", () => {
    for (const name of ["10.0.0.1/8", "proxy.internal", "10.0.0.0/33", "10.0.0.300", ""]) {
      assert.throws(
        () => HttpEndpoint.clientAddress({ trusted: ["10.0.0.1", name], header: "forwarded" }),
        `\`proxies.trusted\` has ${JSON.stringify(name)}, which is no address and no range`
      )
    }
  })
})

describe("the network of a client", () => {
  it("is an address of IPv4, and 64 bits of IPv6", () => {
    const clientOf = HttpEndpoint.clientAddress({ trusted: ["127.0.0.1"], header: "x-forwarded-for" })
    const networks = new Map([
      ["203.0.113.9", "203.0.113.9"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:db8:1:2::", "2001:db8:1:2::/64"],
      ["::1", "::/64"],
      ["fe80::1%eth0", "fe80::/64"],
      ["::ffff:203.0.113.9", "203.0.113.9"],
      ["a socket", "a socket"]
    ])
    for (const [address, network] of networks) assert.strictEqual(clientOf(from(address)).network, network)
    const proxied = from("127.0.0.1", { "x-forwarded-for": "[2001:0DB8:1:2::9]:443" })
    assert.strictEqual(clientOf(proxied).network, "2001:db8:1:2::/64")
  })

  it("is found anew for clients that come in any number, and write headers of any length", () => {
    const clientOf = HttpEndpoint.clientAddress({ trusted: ["127.0.0.1"], header: "x-forwarded-for" })
    for (let index = 0; index < 3_000; index++) {
      const address = `198.51.${index >> 8}.${index & 255}`
      const value = `${"x".repeat(index)},${address}`
      assert.strictEqual(clientOf(from("127.0.0.1", { "x-forwarded-for": value })).address, address)
      assert.strictEqual(clientOf(from(address)).address, address)
    }
  })
})
