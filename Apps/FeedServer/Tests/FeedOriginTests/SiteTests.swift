import Foundation
import LoopbackServer
import Testing

@testable import FeedOrigin

@Suite("Site")
struct SiteTests {
    private static let image = "/images/3.png?w=12&h=8"
    private let site = Site.demo()

    @Test("a page of the feed is JSON whose URLs have the host of the request")
    func feed() throws {
        let page = try site.get("/photos?_page=2&_limit=3")
        let photos = try #require(try JSONSerialization.jsonObject(with: Data(page.body)) as? [[String: Any]])
        #expect(page.status == 200 && page.header("X-Total-Count") == "25")
        #expect(photos.map { $0["id"] as? Int } == [4, 5, 6])
        #expect((photos.first?["url"] as? String)?.hasPrefix("http://h:1/images/4.png?") == true)
        #expect(try (JSONSerialization.jsonObject(with: Data(site.get("/photos").body)) as? [Any])?.count == 10)
        #expect(try site.get("/photos?_page=99").text == "[]")
        #expect(try site.get("/photos?_page=zero").status == 400)
    }

    @Test("a page can be stored and must be revalidated: its tag returns 304 unless the page differs")
    func pageConditions() throws {
        let page = try site.get("/photos?_page=1")
        #expect(page.header("Cache-Control") == "public, max-age=0")
        let tag = try #require(page.header("ETag"))
        #expect(try site.get("/photos?_page=1", "If-None-Match: \(tag)").status == 304)
        #expect(try site.get("/photos?_page=2", "If-None-Match: \(tag)").status == 200)
    }

    @Test("an image has a validator and a date, and conditional and range requests return 304, 206 and 416")
    func conditions() throws {
        let whole = try site.get(Self.image)
        #expect(whole.status == 200 && whole.header("Content-Length") == "\(whole.body.count)")
        #expect(whole.header("Content-Type") == "image/png" && whole.header("Cache-Control") == "public, max-age=3600")
        #expect(whole.header("Date")?.hasSuffix(" GMT") == true)
        let tag = try #require(whole.header("ETag"))
        for known in [tag, "\"x\", W/\(tag)", "*"] {
            let same = try site.get(Self.image, "If-None-Match: \(known)")
            #expect(same.status == 304 && same.body.isEmpty && same.header("Content-Length") == nil, "\(known)")
        }
        let part = try site.get(Self.image, "Range: bytes=9-", "If-Range: \(tag)")
        #expect(part.status == 206 && part.body == Array(whole.body[9...]))
        #expect(part.header("Content-Range") == "bytes 9-\(whole.body.count - 1)/\(whole.body.count)")
        #expect(try site.get(Self.image, "Range: bytes=9-", "If-Range: \"x\"").body == whole.body)
        let unsatisfiable = try site.get(Self.image, "Range: bytes=100000-")
        #expect(unsatisfiable.status == 416)
        #expect(unsatisfiable.header("Content-Range") == "bytes */\(whole.body.count)")
        for other in ["bytes=-5", "bytes=0-1,4-5", "bytes=--5", "lines=1-", "bytes=99999999999999999999-"] {
            #expect(try site.get(Self.image, "Range: \(other)").body == whole.body, "\(other)")
        }
    }

    @Test("HEAD, unknown paths, other methods and unsupported options return the matching status")
    func answers() throws {
        let head = try site.get(Self.image, method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty && head.header("Content-Length") != "0")
        for (method, target, status) in [
            ("GET", "/nowhere", 404), ("GET", "/images/1.bmp", 404), ("DELETE", "/photos", 405), ("GET", "x", 400),
            ("GET", "/images/1.png?w=0", 400), ("GET", "/images/1.gif?animated=1&frames=3&w=4&h=4", 200),
            ("GET", "/", 200), ("GET", "/%zz", 400),
        ] {
            #expect(try site.get(target, method: method).status == status, "\(method) \(target)")
        }
        #expect(try site.get("/", "Connection: close").header("Connection") == "close")
    }

    @Test(
        "faults change the bytes and the end of the connection",
        arguments: [
            ("reset", nil, 0, .reset), ("truncate", 100, 50, .close), ("stall", 100, 50, .stall),
            ("wrong-length", 50, 100, .close), ("drop-after=20", 100, 20, .reset), ("drop-after=900", 100, 100, .reset),
            ("garbage", nil, nil, .close), ("not-a-image", nil, nil, .open), ("status=503", nil, nil, .open),
        ] as [(String, Int?, Int?, SentReply.Ending)])
    func faults(fault: String, lengthPercent: Int?, sentPercent: Int?, ending: SentReply.Ending) throws {
        let whole = try site.get(Self.image).body
        let sent = try site.get(Self.image + "&fault=" + fault)
        #expect(sent.ending == ending)
        func length(_ percent: Int) -> Int {
            fault.hasPrefix("drop") && percent == 20 ? 20 : whole.count * percent / 100
        }
        if let lengthPercent { #expect(sent.header("Content-Length") == "\(length(lengthPercent))") }
        if let sentPercent { #expect(sent.body == Array(whole.prefix(length(sentPercent)))) }
        switch fault {
        case "reset", "garbage": #expect(sent.head.isEmpty && !sent.text.contains("HTTP"))
        case "not-a-image":
            #expect(sent.header("Content-Type") == "image/png" && sent.text.hasPrefix("<!DOCTYPE html>"))
        case "status=503": #expect(sent.status == 503)
        default: #expect(sent.status == 200)
        }
    }

    @Test("latency delays the head, and bandwidth is limited in steps of a twentieth of a second")
    func slowness() throws {
        let site = Site.demo(NetworkDefaults(latency: .milliseconds(5)))
        #expect(try site.get("/photos?_page=99").pauses == [.milliseconds(5)])
        let slow = try site.get(Self.image + "&latency=200&bandwidth=400")
        #expect(slow.pauses.first == .milliseconds(200))
        #expect(slow.pauses.dropFirst().filter { $0 == .milliseconds(50) }.count == slow.body.count / 20)
    }

    @Test("times limits the number of failures, so that a retry succeeds")
    func times() throws {
        let statuses = try (1...4).map { _ in try site.get("/photos?status=503&times=2").status }
        #expect(statuses == [503, 503, 200, 200])
    }

    @Test("the query takes precedence over the defaults, which let only images fail")
    func precedence() throws {
        let site = Site.demo(NetworkDefaults(bandwidth: 5000, failureRate: 1, faults: [.truncate]))
        #expect(try site.get(Self.image).ending == .close)
        #expect(try site.get(Self.image + "&fault=reset").ending == .reset)
        #expect(try site.get(Self.image + "&fault=reset&bandwidth=7").pauses == [])
        #expect(try site.get("/photos").ending == .open)
    }

    @Test(
        "invalid parameters are rejected",
        arguments: [
            "latency=x", "latency=-1", "bandwidth=0", "status=99", "fault=often", "times=a", "fault=drop-after=-2",
            "fault=status=99",
        ])
    func refused(query: String) throws {
        #expect(try site.get("/photos?" + query).status == 400)
    }

    @Test("failures occur at the given rate, are the same for a seed, and differ between attempts")
    func rate() {
        let defaults = NetworkDefaults(failureRate: 0.3, seed: 4)
        func failures(_ attempt: Int) -> [Fault?] {
            (0..<2000).map { defaults.failure(target: "/images/\($0).jpg", attempt: attempt) }
        }
        #expect(abs(Double(failures(1).count { $0 != nil }) / 2000 - 0.3) < 0.04)
        #expect(failures(1) == failures(1))
        #expect(failures(1) != failures(2))
        #expect(Set(failures(1).compactMap(\.self)) == Set(defaults.faults))
    }
}
