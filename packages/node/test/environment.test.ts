import { assert, describe, it } from "@effect/vitest"
import { make } from "../src/internal/process/environment.ts"

const linux = {
  PATH: "/bin",
  HOME: "/home/me",
  USER: "me",
  LOGNAME: "me",
  SHELL: "/bin/sh",
  TERM: "xterm",
  LANG: "C",
  LC_ALL: "C",
  TZ: "UTC",
  TMPDIR: "/tmp"
}

const windows = {
  Path: "C:\\bin",
  SystemRoot: "C:\\Windows",
  ComSpec: "C:\\cmd.exe",
  ProgramFiles: "C:\\Programs",
  PATHEXT: ".EXE",
  TEMP: "C:\\temp",
  USERPROFILE: "C:\\me"
}

const secrets = { AWS_SECRET_ACCESS_KEY: "1", path_token: "2", GITHUB_TOKEN: "3", LD_PRELOAD: "4" }

describe("the environment of a child process", () => {
  it("is all of ours where that is said", () => {
    for (const [platform, own] of [["linux", linux], ["win32", windows]] as const) {
      const ours = { ...own, ...secrets }
      assert.deepStrictEqual(make({ platform, ours, inherit: "all" }), ours)
    }
  })

  for (const inherit of ["safe", undefined] as const) {
    it(`has no secrets where ${inherit ?? "nothing"} is said`, () => {
      assert.deepStrictEqual(make({ platform: "linux", ours: { ...secrets, ...linux }, inherit }), linux)
      assert.deepStrictEqual(make({ platform: "win32", ours: { ...secrets, ...windows }, inherit }), windows)
    })
  }

  it("has no functions of a shell where it is safe", () => {
    const ours = { PATH: "/bin", LC_FUNCTION: "() { :; }" }
    assert.deepStrictEqual(make({ platform: "linux", ours, inherit: "safe" }), { PATH: "/bin" })
    assert.deepStrictEqual(make({ platform: "linux", ours, inherit: "all" }), ours)
  })

  it("has the names that are listed, on Windows in any case", () => {
    const inherit = ["PATH", "GITHUB_TOKEN"]
    assert.deepStrictEqual(make({ platform: "linux", ours: { ...linux, ...secrets, Path: "other" }, inherit }), {
      PATH: "/bin",
      GITHUB_TOKEN: "3"
    })
    assert.deepStrictEqual(make({ platform: "win32", ours: { ...windows, ...secrets }, inherit }), {
      Path: "C:\\bin",
      GITHUB_TOKEN: "3"
    })
    assert.deepStrictEqual(make({ platform: "linux", ours: linux, inherit: [] }), {})
  })

  it("is changed on top: added, replaced, taken away", () => {
    const env = { PATH: "/opt", NEW: "1", Home: "other", TERM: undefined }
    assert.deepStrictEqual(make({ platform: "linux", ours: { PATH: "/bin", HOME: "/", TERM: "xterm" }, env }), {
      PATH: "/opt",
      HOME: "/",
      NEW: "1",
      Home: "other"
    })
    assert.deepStrictEqual(
      make({ platform: "win32", ours: { Path: "C:", HOME: "C:", Term: "x" }, inherit: "safe", env }),
      {
        PATH: "/opt",
        NEW: "1",
        Home: "other"
      }
    )
  })
})
