/** Where a schedule may not reach, however it is spelt. */
import { describe, expect, it } from "vitest";
import { readUrl } from "../../src/core/address.ts";

const HIDDEN = `
  https://localhost/                      https://LOCALHOST/                     https://localhost./
  https://foo.localhost/                  https://printer.local/                 https://db.internal/
  https://metadata.google.internal/       https://router.lan/                    https://nas.home/
  https://nas.home.arpa/                  https://kubernetes.default.svc.cluster.local/
  https://intranet/                       https://db/                            https://wiki.corp/
  https://x.test/                         https://x.invalid/                     https://1.0.0.127.in-addr.arpa/
  https://127.0.0.1/                      https://127.0.0.1./                    https://127.1/
  https://127.0.1/                        https://2130706433/                    https://0x7f000001/
  https://0x7f.0.0.1/                     https://0x7f.1/                        https://0177.0.0.1/
  https://0177.1/                         https://017700000001/                  https://00000177.0.0.1/
  https://%31%32%37.0.0.1/                https://127.0.0.1%2e/                  https://127%2e0%2e0%2e1/
  https://127。0。0。1/                    https://127.0.0.1/                https://①②⑦.0.0.1/
  https://loc­alhost/                      https://ⓛocalhost/                     https://0/
  https://0.0.0.0/                        https://0x0/                           https://127.255.255.254/
  https://10.0.0.1/                       https://10.1/                          https://167772161/
  https://0xa.0.0.1/                      https://012.0.0.1/                     https://172.16.0.1/
  https://172.31.255.255/                 https://0xac.0x10.0.1/                 https://192.168.0.1/
  https://192.168.257/                    https://3232235521/                    https://0xc0a80001/
  https://169.254.169.254/                https://169.254.43518/                 https://2852039166/
  https://0xa9fea9fe/                     https://0251.0376.0251.0376/           https://168.63.129.16/
  https://100.64.0.1/                     https://100.100.100.200/               https://100.127.255.255/
  https://192.0.0.192/                    https://192.0.2.1/                     https://198.18.0.1/
  https://198.51.100.7/                   https://203.0.113.9/                   https://224.0.0.1/
  https://239.255.255.250/                https://240.0.0.1/                     https://255.255.255.255/
  https://[::]/                           https://[::1]/                         https://[0:0:0:0:0:0:0:1]/
  https://[0000::0001]/                   https://[::127.0.0.1]/                 https://[::ffff:127.0.0.1]/
  https://[::ffff:7f00:1]/                https://[::FFFF:169.254.169.254]/      https://[0:0:0:0:0:ffff:a9fe:a9fe]/
  https://[::ffff:0:10.0.0.1]/            https://[64:ff9b::127.0.0.1]/          https://[64:ff9b::a9fe:a9fe]/
  https://[64:ff9b:1::a00:1]/             https://[fe80::1]/                     https://[fe80::1%25eth0]/
  https://[febf::1]/                      https://[fec0::1]/                     https://[fc00::1]/
  https://[fd00:ec2::254]/                https://[fdff:ffff::1]/                https://[ff02::1]/
  https://[2002:7f00:1::]/                https://[2002:a9fe:a9fe::1]/           https://[2001:0:7f00:1::]/
  https://[2001:db8::1]/                  https://[3fff::1]/                     https://[100::1]/
  https://[5f00::1]/                      https://[2001:20::1]/
`
  .trim()
  .split(/\s+/);

describe("what is not public is not called", () => {
  it.each(HIDDEN)("%s", (address) => {
    expect(readUrl(address, false)).toMatchObject({ ok: false, error: { code: "invalid_field" } });
  });

  it("is a long list", () => {
    expect(HIDDEN.length).toBeGreaterThan(90);
  });
});

describe("what a call could be misread by", () => {
  it.each([
    { address: "http://example.com/", why: "https" },
    { address: "ftp://example.com/", why: "https" },
    { address: "file:///etc/passwd", why: "https" },
    { address: "javascript:alert(1)", why: "https" },
    { address: "data:text/plain,x", why: "https" },
    { address: "https://user:pass@example.com/", why: "user or password" },
    { address: "https://user@example.com/", why: "user or password" },
    { address: "https://example.com@127.0.0.1/", why: "user or password" },
    { address: "https://example.com\\@127.0.0.1/", why: "absolute address" },
    { address: "https://example.com/\r\nhost: evil", why: "absolute address" },
    { address: "https://exam\tple.com/", why: "absolute address" },
    { address: " https://example.com/", why: "absolute address" },
    { address: "https://example.com/#top", why: "fragment" },
    { address: "https://example.com:22/", why: "port" },
    { address: "https://example.com:25/", why: "port" },
    { address: "https://example.com:0/", why: "port" },
    { address: "https://example.com:99999/", why: "absolute address" },
    { address: "https://a..b.example.com/", why: "no name" },
    { address: "https:///", why: "absolute address" },
    { address: "//example.com/", why: "absolute address" },
    { address: "/hook", why: "absolute address" },
    { address: "", why: "absolute address" },
    { address: `https://example.com/${"x".repeat(2_100)}`, why: "2048 characters" },
  ])("$address: $why", ({ address, why }) => {
    const read = readUrl(address, false);
    expect(read).toMatchObject({ ok: false, error: { message: expect.stringContaining(why) } });
  });
});

describe("what is public is called", () => {
  it.each([
    "https://example.com",
    "https://hooks.example.co.uk/a/b?c=d",
    "https://example.com.:443/",
    "https://example.com:8443/",
    "https://bücher.example.net/",
    "https://xn--bcher-kva.example.net/",
    "https://8.8.8.8/",
    "https://172.32.0.1/",
    "https://100.128.0.1/",
    "https://[2606:4700:4700::1111]/",
    "https://local.example.org/",
  ])("%s", (address) => {
    expect(readUrl(address, false)).toMatchObject({ ok: true });
  });

  it("and for local development what is private, but nothing that hides", () => {
    expect(readUrl("http://127.0.0.1:9000/hook", true).ok).toBe(true);
    expect(readUrl("http://localhost:80", true).ok).toBe(true);
    expect(readUrl("ftp://localhost", true).ok).toBe(false);
    expect(readUrl("http://user@localhost", true).ok).toBe(false);
  });
});
