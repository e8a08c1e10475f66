#if AVIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What the items of a file say that libavif 0.11 misunderstands without an error (ISO/IEC 14496-12, 8.11; ISO/IEC
    /// 23008-12). What is incomplete is ignored: libavif rejects it.
    struct AVIFItems {
        /// The type of the primary image, or nil if there is none.
        var primaryType: BoxType? { primary.flatMap { types[$0] } }

        private var types: [Int: BoxType] = [:]
        private var primary: Int?
        /// The items as they are mentioned first, which libavif takes for the order of cells.
        private var order: [Int] = []
        private var properties: [Box] = []
        /// The properties of each item, numbered from 1.
        private var associations: [Int: [Int]] = [:]
        private var references: [Reference] = []
        private let bytes: BoxBytes

        private struct Reference {
            var type: BoxType
            var source: Int
            var targets: [Int]
        }

        /// The types of auxiliary images and tracks that are alpha.
        static let alphaTypes = [
            "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
        ]

        /// Reads the boxes of a `meta` box.
        init(in boxes: [Box], of bytes: BoxBytes) throws(DecodingFailure) {
            self.bytes = bytes
            for box in boxes {
                switch box.type {
                case "pitm":
                    var fields = BoxFields(bytes, in: box.content)
                    primary = fields.integer(fields.version == 0 ? 2 : 4)
                case "iinf": try readTypes(in: box.content)
                case "iloc": readLocations(in: box.content)
                case "iref": try readReferences(in: box.content)
                case "iprp": try readProperties(in: box.content)
                default: break
                }
            }
        }

        private mutating func readTypes(in content: Range<Int>) throws(DecodingFailure) {
            var fields = BoxFields(bytes, in: content)
            fields.skip(fields.version == 0 ? 2 : 4)
            for entry in try bytes.children(of: fields.rest, limit: 10_000) where entry.type == "infe" {
                var fields = BoxFields(bytes, in: entry.content)
                guard let item = fields.integer(fields.version == 2 ? 2 : 4) else { continue }
                fields.skip(2)
                guard let type = fields.integer(4) else { continue }
                types[item] = BoxType(rawValue: type)
                order.append(item)
            }
        }

        private mutating func readLocations(in content: Range<Int>) {
            var fields = BoxFields(bytes, in: content)
            guard let sizes = fields.integer(2) else { return }
            let (offset, length, base) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
            let index = fields.version == 0 ? 0 : sizes & 15
            let isLong = fields.version == 2
            fields.skip(isLong ? 4 : 2)
            while let item = fields.integer(isLong ? 4 : 2) {
                order.append(item)
                fields.skip((fields.version == 0 ? 2 : 4) + base)
                guard let extents = fields.integer(2) else { return }
                fields.skip(extents * (index + offset + length))
            }
        }

        private mutating func readReferences(in content: Range<Int>) throws(DecodingFailure) {
            let header = BoxFields(bytes, in: content)
            let length = header.version == 0 ? 2 : 4
            for box in try bytes.children(of: header.rest, limit: 10_000) {
                // These boxes have no version.
                var fields = BoxFields(bytes, in: box.content.lowerBound - 4..<box.content.upperBound)
                guard let source = fields.integer(length), let count = fields.integer(2) else { continue }
                var targets: [Int] = []
                while targets.count < count, let target = fields.integer(length) { targets.append(target) }
                references.append(Reference(type: box.type, source: source, targets: targets))
                order.append(source)
            }
        }

        private mutating func readProperties(in content: Range<Int>) throws(DecodingFailure) {
            for box in try bytes.children(of: content) {
                if box.type == "ipco" { properties = try bytes.children(of: box.content, limit: 10_000) }
                if box.type == "ipma" { readAssociations(in: box.content) }
            }
        }

        private mutating func readAssociations(in content: Range<Int>) {
            var fields = BoxFields(bytes, in: content)
            let length = fields.flags & 1 == 0 ? 1 : 2
            fields.skip(4)
            while let item = fields.integer(fields.version == 0 ? 2 : 4), let count = fields.integer(1) {
                order.append(item)
                for _ in 0..<count {
                    // The highest bit tells whether the property is essential.
                    guard let number = fields.integer(length) else { return }
                    associations[item, default: []].append(number & (1 << (8 * length - 1) - 1))
                }
            }
        }
    }

    extension AVIFItems {
        /// The cells of the primary image if it is a grid.
        private var cells: [Int] {
            guard let primary, primaryType == "grid" else { return [] }
            return references.filter { $0.type == "dimg" && $0.source == primary }.flatMap(\.targets)
        }

        /// Whether the cells are mentioned in their order, once each.
        var areCellsInOrder: Bool {
            var left = Set(cells)
            guard left.count == cells.count else { return false }
            return order.filter { left.remove($0) != nil } == cells
        }

        /// Whether the primary image or a cell of it has alpha.
        var hasAlpha: Bool {
            let images = Set(cells + [primary].compactMap { $0 })
            return references.contains { reference in
                reference.type == "auxl" && reference.targets.contains(where: images.contains)
                    && isAlpha(reference.source)
            }
        }

        private func isAlpha(_ item: Int) -> Bool {
            properties(of: item, "auxC").contains { box in
                Self.alphaTypes.contains { bytes.hasText($0, at: box.content.dropFirst(4)) }
            }
        }

        /// The color of the cells of a grid that has no color itself. Throws if libavif can't use it.
        func colorOfCells() throws(DecodingFailure) -> AVIFCodingColor? {
            guard let primary, properties(of: primary, "colr").isEmpty else { return nil }
            let boxes = cells.map { properties(of: $0, "colr") }
            guard boxes.contains(where: { !$0.isEmpty }) else { return nil }
            let colors = Set(boxes.map { $0.count == 1 ? AVIFCodingColor($0[0], of: bytes) : nil })
            guard colors.count == 1, let color = colors.first ?? nil else {
                throw .unsupported(.avif, "cells with several color spaces or a profile")
            }
            return color
        }

        private func properties(of item: Int, _ type: BoxType) -> [Box] {
            let numbers = associations[item] ?? []
            return numbers.filter { $0 > 0 && $0 <= properties.count }.map { properties[$0 - 1] }
                .filter { $0.type == type }
        }
    }

    /// The code points of a color (ITU-T H.273), from a property of the type nclx.
    struct AVIFCodingColor: Hashable {
        var primaries, transfer, matrix: Int
        var isFullRange: Bool

        /// Returns nil for a profile.
        init?(_ box: Box, of bytes: BoxBytes) {
            let start = box.content.lowerBound
            guard bytes.hasText("nclx", at: box.content), let primaries = bytes.integer(at: start + 4, length: 2),
                let transfer = bytes.integer(at: start + 6, length: 2),
                let matrix = bytes.integer(at: start + 8, length: 2),
                let range = bytes.integer(at: start + 10, length: 1)
            else { return nil }
            (self.primaries, self.transfer, self.matrix) = (primaries, transfer, matrix)
            isFullRange = range & 0x80 != 0
        }
    }
#endif
