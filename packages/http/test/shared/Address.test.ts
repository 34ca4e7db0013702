import { assert, describe, it } from "@effect/vitest"
import { Address } from "@parley/http/shared"

describe("an address", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.9.9.9",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "0x7f.1",
    "[::]",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::a00:1]",
    "[fc00::1]",
    "[fe80::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[2002:a00:1::]",
    "[2001::1]",
    "localhost",
    "a.localhost",
    "localhost."
  ])("%s is private", (host) => {
    assert.isTrue(Address.isPrivate(new URL(`http://${host}/`).hostname))
  })

  it.each(["8.8.8.8", "172.32.0.1", "100.128.0.1", "[2606:4700::1111]", "[2001:4860:4860::8888]", "example.org"])(
    "%s is public, or a name",
    (host) => {
      assert.isFalse(Address.isPrivate(new URL(`http://${host}/`).hostname))
    }
  )

  it.each(["::1", "::ffff:10.0.0.1", "fe80::1%eth0", "fd00::1"])("%s is private as a resolver writes it", (address) => {
    assert.isTrue(Address.isPrivate(address))
  })

  it.each<readonly [string, boolean]>([["127.0.0.9", true], ["LOCALHOST", true], ["[::1]", true], ["10.0.0.1", false]])(
    "%s is this machine: %s",
    (host, isLoopback) => {
      assert.strictEqual(Address.isLoopback(new URL(`http://${host}/`).hostname), isLoopback)
    }
  )
})
