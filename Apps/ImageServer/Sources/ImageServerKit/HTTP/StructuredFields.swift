import Foundation
import ImageCore
import RawStructuredFieldValues

/// Reads and writes structured fields (RFC 9651). A value is nil if it can't be written, which these can.
enum StructuredFields {
    private typealias Parameters = OrderedMap<String, RFC9651BareItem>

    /// Returns bytes, such as those of a ThumbHash.
    /// - Parameter base64: The bytes in Base64, with padding.
    static func bytes(base64: String) -> String? {
        var serializer = StructuredFieldValueSerializer()
        return text { try serializer.writeItemFieldValue(item(.undecodedByteSequence(base64))) }
    }

    /// Returns a size in pixels as `width=1200, height=800`.
    static func size(_ size: PixelSize) -> String? {
        var serializer = StructuredFieldValueSerializer()
        let members: OrderedMap<String, ItemOrInnerList> = [
            "width": .item(item(.integer(Int64(size.width)))), "height": .item(item(.integer(Int64(size.height)))),
        ]
        return text { try serializer.writeDictionaryFieldValue(members) }
    }

    /// Whether a Priority says that a response is used while it arrives (RFC 9218, 4.2). An invalid one says nothing.
    static func isIncremental(priority: String?) -> Bool {
        var parser = StructuredFieldValueParser(Array((priority ?? "").utf8))
        guard case .item(let item)? = (try? parser.parseDictionaryFieldValue())?["i"] else { return false }
        return item.rfc9651BareItem == .bool(true)
    }

    /// The values of Cache-Status (RFC 9211) by where a result is from.
    static let cacheStatus = Dictionary(
        uniqueKeysWithValues: ResultLevel.allCases.compactMap { level in cacheStatus(level).map { (level, $0) } })

    private static func cacheStatus(_ level: ResultLevel) -> String? {
        var serializer = StructuredFieldValueSerializer()
        let parameters: Parameters =
            level == .origin ? ["fwd": .token("miss")] : ["hit": .bool(true), "detail": .token(level.rawValue)]
        return text { try serializer.writeListFieldValue([.item(item(.token("image-server"), parameters))]) }
    }

    private static func item(_ bareItem: RFC9651BareItem, _ parameters: Parameters = [:]) -> Item {
        Item(bareItem: bareItem, parameters: parameters)
    }

    private static func text(_ write: () throws -> [UInt8]) -> String? {
        (try? write()).flatMap { String(bytes: $0, encoding: .utf8) }
    }
}
