import { assert, describe, it } from "@effect/vitest"
import { Report } from "@parley/conform"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const nasty = "</pre><script>alert(1)</script> ]]> & \" ' ` | \u001b[31m \u0000 \u202e \u009b2J"

const result = (id: string, verdict: Report.Verdict, more: Partial<Report.RuleResult> = {}): Report.RuleResult => ({
  id,
  suite: id.split("/")[0] ?? id,
  title: `the rule ${id}`,
  level: "must",
  section: "https://example.org/spec#section",
  verdict,
  findings: verdict === "fail" || verdict === "warning"
    ? [{ expected: "nothing", received: nasty, exchange: [{ direction: "sent", text: nasty }] }]
    : [],
  milliseconds: 1,
  isExpected: false,
  ...more
})

const report: Report.Report = {
  endpoint: "tcp://127.0.0.1:4000",
  protocol: "JSON-RPC 2.0",
  seed: 7,
  results: [
    result("a/pass", "pass"),
    result("a/fail", "fail"),
    result("a/warning", "warning"),
    result("b/apart", "notApplicable", { reason: "there is none" }),
    result("b/stopped", "unverified", { reason: nasty })
  ],
  unexpected: []
}

/** A reader of XML that knows no more than what a report has. */
const parseXml = (xml: string): ReadonlyArray<string> => {
  const open: Array<string> = []
  const names: Array<string> = []
  const text = xml.replace(/^<\?xml [^>]*\?>/, "")
  for (const [tag, close, name = "", , self] of text.matchAll(/<(\/?)([a-z-]+)((?:\s[a-z]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (close === "/") assert.strictEqual(open.pop(), name, tag)
    else {
      names.push(name)
      if (self !== "/") open.push(name)
    }
  }
  assert.deepStrictEqual(open, [])
  assert.strictEqual(text.replace(/<(\/?)([a-z-]+)((?:\s[a-z]+="[^"<]*")*)\s*(\/?)>/g, "").match(/[<>]/), null)
  return names
}

describe("reports", () => {
  it("are the same when they are read back from JSON", () => {
    const text = Report.render(report, "json")
    assert.deepStrictEqual(Schema.decodeUnknownSync(Report.Report)(JSON.parse(text)), report)
  })

  it.prop("render whatever texts they have", { report: Arbitrary.schema(Report.Report) }, ({ report }) => {
    for (const format of Report.formatNames) Report.render(report, format)
    parseXml(Report.render(report, "junit"))
    JSON.parse(Report.render(report, "sarif"))
  })

  it("are well-formed XML as JUnit, with a case for each rule", () => {
    const names = parseXml(Report.render(report, "junit"))
    assert.strictEqual(names.filter((name) => name === "testcase").length, 5)
    assert.strictEqual(names.filter((name) => name === "failure").length, 1)
    assert.strictEqual(names.filter((name) => name === "skipped").length, 2)
  })

  it("name the file that CI annotates as SARIF, and nothing that holds", () => {
    const { runs, version } = JSON.parse(Report.render(report, "sarif", { artifact: "src/server.ts" }))
    assert.strictEqual(version, "2.1.0")
    const located = { physicalLocation: { artifactLocation: { uri: "src/server.ts" }, region: { startLine: 1 } } }
    const [one, other, ...others] = runs[0].results
    assert.deepStrictEqual(others, [])
    assert.deepInclude(one, { ruleId: "a/fail", level: "error", locations: [located] })
    assert.deepInclude(other, { ruleId: "a/warning", level: "warning", locations: [located] })
    const [first, second, ...more] = runs[0].tool.driver.rules
    assert.deepStrictEqual([first.id, second.id, more], ["a/fail", "a/warning", []])
  })

  it("are one page of HTML in which no text of a server is markup", () => {
    const html = Report.render(report, "html")
    assert.notInclude(html, "<script")
    assert.notMatch(html, /(src|href)="(?!https:\/\/example\.org)/)
    assert.include(html, "&lt;script&gt;")
  })

  it("drive no terminal", () => {
    for (const format of Report.formatNames) {
      const text = Report.render(report, format)
      for (const driving of ["\u0000", "\u001b", "\u009b", "\u202e"]) assert.notInclude(text, driving, format)
    }
  })

  it("tell the command that shows a finding again", () => {
    assert.include(Report.render(report, "table"), "parley conform tcp://127.0.0.1:4000 --only a/fail --seed 7")
  })

  it("cut long texts in a table, and never the command that somebody copies", () => {
    const long = "x".repeat(5_000)
    const table = Report.render(report, "table", { flags: ["--method", `'echo ["${long}"]'`] })
    assert.match(table, /^ {2}again: parley conform .* --method 'echo \["x{5000}"\]'$/m)
    const finding = { expected: long, received: long, exchange: [] }
    assert.notInclude(
      Report.render({ ...report, results: [result("a", "fail", { findings: [finding] })] }, "table"),
      long
    )
  })

  it("have no links in SARIF but our own", () => {
    const received = String.raw`[click](https://example.org) \ [x]`
    const results = [result("a", "fail", { findings: [{ expected: "nothing", received, exchange: [] }] })]
    const { runs } = JSON.parse(Report.render({ ...report, results }, "sarif"))
    assert.include(runs[0].results[0].message.text, String.raw`received: \[click\](https://example.org) \\ \[x\]`)
  })

  it.prop("name a file in SARIF by a URI that leads to it", { path: Arbitrary.schema(Schema.String) }, ({ path }) => {
    const artifact = `src/my server#1?/${path}`
    const { runs } = JSON.parse(Report.render(report, "sarif", { artifact }))
    const { uri } = runs[0].results[0].locations[0].physicalLocation.artifactLocation
    assert.match(uri, /^[\w%/.!~*'()-]+$/)
    assert.strictEqual(decodeURIComponent(uri), artifact.toWellFormed())
  })
})

describe("a run that was stopped", () => {
  const stopped = result("a/stopped", "unverified", { reason: "no answer" })
  const apart = result("a/apart", "notApplicable")
  const isUndecided = (...results: ReadonlyArray<Report.RuleResult>) => Report.isUndecided({ ...report, results })

  it("is undecided where more rules were stopped than have a verdict", () => {
    assert.isTrue(isUndecided(stopped))
    assert.isTrue(isUndecided(stopped, apart, apart))
    assert.isTrue(isUndecided(stopped, stopped, result("a/pass", "pass")))
  })

  it("is not undecided by rules that wait for another one to be mended", () => {
    assert.isFalse(isUndecided(result("a/waiting", "unverified", { reason: "the same", because: ["a/fail"] })))
  })

  it("is decided by as many verdicts, whatever they are", () => {
    for (const verdict of ["pass", "fail", "warning"] as const) {
      assert.isFalse(isUndecided(stopped, result("a", verdict)))
    }
    assert.isFalse(isUndecided(apart))
    assert.isFalse(isUndecided())
  })
})

describe("known failures", () => {
  it("count as none while they fail", () => {
    const known = Report.expecting(report, new Set(["a/fail"]))
    assert.isTrue(Report.isFailed(report))
    assert.isFalse(Report.isFailed(known))
    assert.include(Report.summaryOf(known), "1 failed as expected")
  })

  it("are a failure when they pass", () => {
    const known = Report.expecting(report, new Set(["a/fail", "a/pass"]))
    assert.deepStrictEqual(known.unexpected, ["a/pass"])
    assert.isTrue(Report.isFailed(known))
    assert.include(Report.render(known, "table"), "take it from the list of known failures")
  })

  it("are neither kept nor broken by rules that did not decide", () => {
    const ids = new Set(["a/pass", "a/fail", "a/warning", "b/apart", "b/stopped", "c/other"])
    assert.deepStrictEqual(Report.expecting(report, ids).unexpected, ["a/pass"])
    assert.deepStrictEqual(
      Report.unsettled(report, ids),
      new Map(
        [
          ["warning", ["a/warning"]],
          ["notApplicable", ["b/apart"]],
          ["unverified", ["b/stopped"]],
          ["notRun", ["c/other"]]
        ] as const
      )
    )
  })
})
