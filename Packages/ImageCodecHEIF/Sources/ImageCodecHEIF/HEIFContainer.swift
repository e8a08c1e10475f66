#if HEIF
    import ISOBoxes
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The items of a file, without pixels (ISO/IEC 23008-12, 9.3).
    struct HEIFContainer {
        let reader: BoxReader
        let items: BoxItems
        private var properties: [HEIFProperty] = []

        /// Reads the `meta` box. Throws `.truncated` if the file ends before it does.
        init(of data: Data) throws(DecodingFailure) {
            var reader = BoxReader(data, format: .heic)
            let boxes = try reader.fileBoxes()
            guard let meta = boxes.first(where: { $0.name == "meta" }), meta.content.upperBound <= data.count else {
                let hasTracks = boxes.contains { $0.name == "moov" }
                throw hasTracks ? .unsupported(.heic, "the file has an image sequence only") : .truncated(.heic)
            }
            items = try BoxItems(in: meta, &reader)
            self.reader = reader
            for box in items.properties { properties.append(try HEIFProperty(box, of: reader)) }
        }

        /// Returns the properties of an item. Throws `.unsupported` if one is essential and unknown.
        func properties(of item: BoxItems.Item) throws(DecodingFailure) -> [HEIFProperty] {
            for property in item.properties where property.isEssential {
                if case .unknown(let name) = properties[property.index] {
                    throw .unsupported(.heic, "the property \(name)")
                }
            }
            return item.properties.map { properties[$0.index] }
        }

        /// Returns the ranges of an item's data in the file, which may be beyond its end.
        ///
        /// Throws `.malformed` if their sum exceeds the file, because extents may overlap.
        func ranges(of item: BoxItems.Item) throws(DecodingFailure) -> [Range<Int>] {
            var ranges: [Range<Int>] = []
            var total = 0
            for extent in item.extents {
                ranges.append(try range(of: extent, construction: item.construction))
                total += min(extent.count, reader.data.count)
            }
            guard total <= reader.data.count else { throw .malformed(.heic, "the data of an item overlaps") }
            return ranges
        }

        private func range(of extent: Range<Int>, construction: Int) throws(DecodingFailure) -> Range<Int> {
            switch construction {
            case 0:
                // A length of 0 means the rest of the file.
                return extent.isEmpty ? extent.lowerBound..<max(extent.lowerBound, reader.data.count) : extent
            case 1:
                guard let data = items.itemData, extent.upperBound <= data.count else {
                    throw .malformed(.heic, "the data of an item is not in the idat box")
                }
                return data.lowerBound + extent.lowerBound..<data.lowerBound + extent.upperBound
            default: throw .unsupported(.heic, "an item in another item or file")
            }
        }

        /// Returns a copy of an item's data. Throws `.truncated` if it exceeds the file.
        func data(of item: BoxItems.Item) throws(DecodingFailure) -> Data {
            var bytes = Data()
            for range in try ranges(of: item) {
                guard range.upperBound <= reader.data.count else { throw .truncated(.heic) }
                bytes.append(reader.bytes(in: range))
            }
            return bytes
        }
    }
#endif
