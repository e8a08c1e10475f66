import Foundation
import Testing

@testable import ImageMetadata

@Suite("XMP packets") struct XMPPacketTests {
    @Test("only the properties of films are left out of those of a camera, and a damaged packet counts as missing")
    func packets() {
        func filtered(_ packet: String) -> String? {
            XMPPacket.withoutOtherParts(Data(packet.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        let camera = #"<a xmlns:G="http://ns.google.com/photos/1.0/camera/""#
        #expect(filtered("\(camera) G:MotionPhoto='1' G:Burst='2'><G:MicroVideo/></a>") == "\(camera) G:Burst='2'></a>")
        for name in ["camera/", "container/", "container/item/", "depthmap/", "image/"] {
            let start = "<a xmlns:G = 'http://ns.google.com/photos/1.0/\(name)'"
            #expect(filtered("\(start) G:MotionPhoto = '1'></a>") == (name == "camera/" ? "\(start)></a>" : "<a></a>"))
        }
        let instruction = "\(camera)><?p > <G:MicroVideo> ?></a>"
        #expect(filtered(instruction) == instruction)
        let note = #"<a xmlns:n="http://ns.adobe.com/xmp/note/""#
        #expect(filtered(#"\#(camera) G:MotionPhoto="it's" G:Burst='"'/>"#) == #"\#(camera) G:Burst='"'/>"#)
        #expect(filtered(#"\#(note) n:HasExtendedXMP="1" n:Other="2"/>"#) == #"\#(note) n:Other="2"/>"#)
        // A later declaration of the same prefix doesn't end the first one, and no other name begins like a prefix.
        let twice = #"\#(camera)><b xmlns:G="http://ns.adobe.com/xmp/note/" GG:MicroVideo="1" MicroVideo="2"/>"#
        #expect(filtered(#"\#(twice)<G:MicroVideo/><G:HasExtendedXMP/><G:Other/></a>"#) == "\(twice)<G:Other/></a>")
        let gains = "<a xmlns:h='http://ns.adobe.com/hdr-gain-map/1.0/'>"
        #expect(filtered("\(gains)<h:b><![CDATA[> </h:b> ]]></h:b></a>") == "<a></a>")
        for packet in ["<a", "<a b='c", "<!-- <a/>", "<a xmlns:h='http://ns.adobe.com/hdr-gain-map/1.0/'><h:b>"] {
            #expect(filtered(packet) == nil)
        }
    }

    @Test("rights can be attributes or addresses")
    func attributes() throws {
        let xmp = Data(
            """
            <rdf:Description xmp:Rating="5" xmpRights:Marked="True" xmpRights:WebStatement="https://a/?b&amp;c">
            <cc:license rdf:resource="https://d/"/></rdf:Description>
            """.utf8)
        let kept = try #require(XMPPacket.rights(xmp))
        for text in [
            "<xmpRights:Marked>True</", ">https://a/?b&amp;c</xmpRights:WebStatement>",
            "<cc:license rdf:resource=\"https://d/\"/>",
        ] { #expect(kept.firstRange(of: Data(text.utf8)) != nil) }
        #expect(kept.firstRange(of: Data("Rating".utf8)) == nil)
        let single = Data(#"<a xmpRights:Owner='Ann "B"'><cc:license rdf:resource='https://d/?"'/></a>"#.utf8)
        let quoted = try #require(XMPPacket.rights(single).map { String(decoding: $0, as: UTF8.self) })
        #expect(quoted.contains(#"<xmpRights:Owner>Ann "B"</xmpRights:Owner>"#))
        #expect(quoted.contains(#"<cc:license rdf:resource="https://d/?&quot;"/>"#))
        for name in [
            "dc:rights", "dc:creator", "dc:contributor", "dc:publisher", "xmpRights:UsageTerms", "xmpRights:Owner",
            "xmpRights:Certificate", "cc:attributionName", "cc:attributionURL", "cc:morePermissions",
        ] { #expect(XMPPacket.rights(Data("<\(name)>A</\(name)>".utf8)) != nil, "\(name)") }
        #expect(XMPPacket.rights(Data("<a xmpRights:Marked=\"<\"/>".utf8)) == nil)
        #expect(XMPPacket.rights(Data("<a xmpRights:Marked=\"".utf8)) == nil)
    }

    @Test("rights above 1 MiB, with other elements or without an end count as missing")
    func damaged() {
        #expect(XMPPacket.rights(Data("<dc:rights>".utf8) + Data(count: 1 << 20) + Data("</dc:rights>".utf8)) == nil)
        #expect(XMPPacket.rights(Data("<dc:rights><script>x</script></dc:rights>".utf8)) == nil)
        #expect(XMPPacket.rights(Data("<dc:rights>".utf8)) == nil)
    }

    @Test(
        "references to characters are read in attributes and elements, and invalid ones stay as they are written",
        arguments: [
            ("a&#34;b&#x22;c &#0065;&#x4a;&#x4B;", "a\"b\"c AJK"), ("&#x1F600;&#128512;&#x10FFFF;", "😀😀\u{10FFFF}"),
            ("&#38;lt;&#60;&#62;", "&lt;<>"), ("&#65;\u{301}", "A\u{301}"), ("a&#9;&#10;&#13;b", "a\t\n\rb"),
            ("&#xFFFD;&#xE000;&#xD7FF;", "\u{FFFD}\u{E000}\u{D7FF}"),
        ])
    func references(written: String, expected: String) {
        let invalid = [
            "&#0;", "&#x0;", "&#8;", "&#x1B;", "&#xD800;", "&#xDFFF;", "&#xFFFE;", "&#xFFFF;", "&#x110000;",
            "&#1114112;", "&#4294967361;", "&#99999999999999999999;", "&#;", "&#x;", "&#X41;", "&#+65;", "&#-65;",
            "&# 65;", "&#4a;", "&#x4g;", "&;", "&other;", "&LT;", "& ", "&#65", "&&#",
        ]
        for part in [""] + invalid {
            let (text, value) = (written + part + "&amp;.", expected + part + "&.")
            for packet in ["<a dc:creator=\"\(text)\"/>", "<dc:creator>\(text)</dc:creator>"] {
                let creator = EmbeddedMetadata(xmp: Data(packet.utf8)).creator
                #expect(creator.map { Array($0.utf8) } == Array(value.utf8), "\(packet)")
            }
        }
    }

    @Test("texts are read from attributes, elements and lists")
    func texts() throws {
        func dated(_ text: String) -> DateComponents? {
            EmbeddedMetadata(xmp: Data("<a exif:DateTimeOriginal=\"\(text)\"/>".utf8)).captureDate
        }
        let packet = """
            <rdf:Description exif:GPSLatitude="48,51.5N" exif:GPSLongitude='no' photoshop:DateCreated="2024-05-01T12:30:00Z">
             <dc:creator><rdf:Seq> <rdf:li>Ann &amp; Bob</rdf:li><rdf:li>Cy</rdf:li></rdf:Seq></dc:creator>
             <dc:rights>\n</dc:rights><exif:GPSLongitude>2,17,40W</exif:GPSLongitude></rdf:Description>
            """
        let metadata = EmbeddedMetadata(xmp: Data(packet.utf8))
        #expect(metadata.creator == "Ann & Bob" && metadata.copyright == nil)
        let entities = Data("<a dc:creator='&lt;&gt; &quot;&apos;&amp;'/>".utf8)
        #expect(EmbeddedMetadata(xmp: entities).creator == "<> \"'&")
        #expect(metadata.captureDate?.hour == 12 && metadata.captureDate?.timeZone?.secondsFromGMT() == 0)
        #expect(abs((metadata.location?.latitude ?? 0) - 48.858_333) < 0.000_01)
        #expect(abs((metadata.location?.longitude ?? 0) + 2.294_444) < 0.000_01)
        let date = try #require(dated("2024-05-01T12:30:00.25+02:00"))
        #expect(date.timeZone?.secondsFromGMT() == 7_200)
        #expect(dated("2016-12-31T23:59:60Z")?.second == 60)
        for (zone, seconds) in [
            ("", nil), ("Z", 0), ("-05:00", -18_000), ("+05:30", 19_800), ("+9999999999999999:00", nil),
        ] as [(String, Int?)] {
            let date = try #require(dated("2024-05-06T07:08\(zone)"))
            #expect(date.hour == 7 && date.minute == 8 && date.second == nil, "\(zone)")
            #expect(date.timeZone?.secondsFromGMT() == seconds)
        }
        let day = try #require(dated("2024-05-01"))
        #expect(day.day == 1)
        #expect(day.hour == nil)
        #expect(dated("2024-05") == nil)
        let escaped = Data("<dc:rights>&amp;lt;</dc:rights>".utf8)
        #expect(EmbeddedMetadata(xmp: escaped).copyright == "&lt;")
        #expect(EmbeddedMetadata(xmp: escaped + Data(count: 1 << 20)).copyright == nil)
        #expect(
            EmbeddedMetadata(xmp: Data(#"<a exif:GPSLatitude="2,0N" exif:GPSLongitude="180,1E"/>"#.utf8)).location
                == nil)
        for text in ["91,0N", "48N", "48,nanN", "48,1,2,3N", "N", ""] {
            let packet = Data(#"<a exif:GPSLatitude="\#(text)" exif:GPSLongitude="2,0E"/>"#.utf8)
            #expect(EmbeddedMetadata(xmp: packet).location == nil, "\(text)")
        }
    }
}
